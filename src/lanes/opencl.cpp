#include "lanes/opencl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>

#include "thud/base/error.hpp"
#include "thud/base/format.hpp"
#ifdef THUD_WITH_OPENCL
#include <dlfcn.h>
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#endif

namespace thud {

#ifdef THUD_WITH_OPENCL

namespace lanes {
namespace {

// The loader of OpenCL drivers, found when it is asked for: nobody needs it to start the program.
struct Library {
  Library() {
    handle = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    bool all = true;
    const auto find = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
      all = all && function;
    };
#define THUD_FIND(name) find("cl" #name, name)
    THUD_FIND(GetPlatformIDs);
    THUD_FIND(GetPlatformInfo);
    THUD_FIND(GetDeviceIDs);
    THUD_FIND(GetDeviceInfo);
    THUD_FIND(CreateContext);
    THUD_FIND(CreateCommandQueue);
    THUD_FIND(CreateProgramWithSource);
    THUD_FIND(BuildProgram);
    THUD_FIND(GetProgramBuildInfo);
    THUD_FIND(CreateKernel);
    THUD_FIND(CreateBuffer);
    THUD_FIND(ReleaseMemObject);
    THUD_FIND(ReleaseKernel);
    THUD_FIND(ReleaseCommandQueue);
    THUD_FIND(SetKernelArg);
    THUD_FIND(EnqueueNDRangeKernel);
    THUD_FIND(EnqueueReadBuffer);
    THUD_FIND(EnqueueWriteBuffer);
    THUD_FIND(Finish);
    THUD_FIND(GetEventProfilingInfo);
    THUD_FIND(ReleaseEvent);
    THUD_FIND(WaitForEvents);
#undef THUD_FIND
    if (!all) handle = nullptr;
  }
  void* handle = nullptr;
  decltype(&clGetPlatformIDs) GetPlatformIDs;
  decltype(&clGetPlatformInfo) GetPlatformInfo;
  decltype(&clGetDeviceIDs) GetDeviceIDs;
  decltype(&clGetDeviceInfo) GetDeviceInfo;
  decltype(&clCreateContext) CreateContext;
  decltype(&clCreateCommandQueue) CreateCommandQueue;
  decltype(&clCreateProgramWithSource) CreateProgramWithSource;
  decltype(&clBuildProgram) BuildProgram;
  decltype(&clGetProgramBuildInfo) GetProgramBuildInfo;
  decltype(&clCreateKernel) CreateKernel;
  decltype(&clCreateBuffer) CreateBuffer;
  decltype(&clReleaseMemObject) ReleaseMemObject;
  decltype(&clReleaseKernel) ReleaseKernel;
  decltype(&clReleaseCommandQueue) ReleaseCommandQueue;
  decltype(&clSetKernelArg) SetKernelArg;
  decltype(&clEnqueueNDRangeKernel) EnqueueNDRangeKernel;
  decltype(&clEnqueueReadBuffer) EnqueueReadBuffer;
  decltype(&clEnqueueWriteBuffer) EnqueueWriteBuffer;
  decltype(&clFinish) Finish;
  decltype(&clGetEventProfilingInfo) GetEventProfilingInfo;
  decltype(&clReleaseEvent) ReleaseEvent;
  decltype(&clWaitForEvents) WaitForEvents;
};

const Library& cl() {
  static const Library library;
  return library;
}

std::string text_of(cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  if (cl().GetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string out(size, '\0');
  cl().GetDeviceInfo(device, what, size, out.data(), nullptr);
  while (!out.empty() && (out.back() == '\0' || out.back() == ' ')) out.pop_back();
  return without_controls(out);
}

template <class T>
T number_of(cl_device_id device, cl_device_info what) {
  T out{};
  cl().GetDeviceInfo(device, what, sizeof out, &out, nullptr);
  return out;
}

struct Found {
  cl_platform_id platform;
  cl_device_id device;
  ComputeDevice about;
};

std::vector<Found> find_all() {
  std::vector<Found> out;
  if (!cl().handle) return out;
  cl_uint count = 0;
  if (cl().GetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return out;
  std::vector<cl_platform_id> platforms(count);
  cl().GetPlatformIDs(count, platforms.data(), nullptr);
  for (const cl_platform_id p : platforms) {
    char name[256] = {};
    cl().GetPlatformInfo(p, CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
    cl_uint n = 0;
    if (cl().GetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, nullptr, &n) != CL_SUCCESS || n == 0) continue;
    std::vector<cl_device_id> devices(n);
    cl().GetDeviceIDs(p, CL_DEVICE_TYPE_ALL, n, devices.data(), nullptr);
    for (const cl_device_id d : devices) {
      ComputeDevice about;
      about.name = text_of(d, CL_DEVICE_NAME);
      about.platform = without_controls(name);
      about.version = text_of(d, CL_DRIVER_VERSION);
      about.is_gpu = (number_of<cl_device_type>(d, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0;
      about.has_doubles = number_of<cl_device_fp_config>(d, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
      about.units = static_cast<int>(number_of<cl_uint>(d, CL_DEVICE_MAX_COMPUTE_UNITS));
      about.memory = static_cast<double>(number_of<cl_ulong>(d, CL_DEVICE_GLOBAL_MEM_SIZE));
      out.push_back({p, d, about});
    }
  }
  return out;
}

// Which of the devices is meant; −1: none.
int choose(const std::vector<Found>& all, const std::string& asked) {
  int number = 0;
  const auto [end, status] = std::from_chars(asked.data(), asked.data() + asked.size(), number);
  if (status == std::errc{} && end == asked.data() + asked.size())
    return number >= 1 && number <= static_cast<int>(all.size()) && all[number - 1].about.has_doubles
             ? number - 1
             : -1;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].about.has_doubles && (asked == "opencl" || all[k].about.is_gpu)) return static_cast<int>(k);
  return -1;
}

[[noreturn]] void fail(const ComputeDevice& device, const char* what, cl_int code) {
  const char* why = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES
                      ? "it has no room for more"
                  : code == CL_OUT_OF_HOST_MEMORY   ? "there is no memory left"
                  : code == CL_DEVICE_NOT_AVAILABLE ? "it is gone"
                                                    : "it answers with an error";
  throw DeviceError(
      fmt::format("the device \"{}\" could not {}: {} (OpenCL {})", device.name, what, why, code));
}

// A context and what was compiled in it: shared by all threads.
struct Shared {
  Found found;
  cl_context context = nullptr;
  std::map<std::string, cl_program> programs;
  std::mutex mutex;

  cl_program compile(const std::string& text) {
    const std::lock_guard lock(mutex);
    cl_program& program = programs[text];
    if (program) return program;
    const char* source = text.c_str();
    cl_int code = CL_SUCCESS;
    const cl_program made = cl().CreateProgramWithSource(context, 1, &source, nullptr, &code);
    if (code != CL_SUCCESS) fail(found.about, "take a program", code);
    code = cl().BuildProgram(made, 1, &found.device, "-cl-std=CL1.2", nullptr, nullptr);
    if (code != CL_SUCCESS) {
      std::size_t size = 0;
      cl().GetProgramBuildInfo(made, found.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
      std::string log(size, '\0');
      cl().GetProgramBuildInfo(made, found.device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
      throw DeviceError(fmt::format("the device \"{}\" does not compile the runs: {}", found.about.name,
                                    without_controls(log.substr(0, 600))));
    }
    return program = made;
  }
};

std::shared_ptr<Shared> shared_device(const std::string& asked) {
  static std::mutex mutex;
  static std::map<int, std::shared_ptr<Shared>> kept;
  const std::lock_guard lock(mutex);
  const std::vector<Found> all = find_all();
  const int index = choose(all, asked);
  if (index < 0) throw DeviceError(fmt::format("there is no device \"{}\" any more", asked));
  std::shared_ptr<Shared>& at = kept[index];
  if (at) return at;
  auto made = std::make_shared<Shared>();
  made->found = all[index];
  cl_int code = CL_SUCCESS;
  made->context = cl().CreateContext(nullptr, 1, &made->found.device, nullptr, nullptr, &code);
  if (code != CL_SUCCESS) fail(made->found.about, "be opened", code);
  return at = made;
}

}  // namespace

struct DeviceRuns::Impl {
  Impl(const std::string& device, const Itinerary& itinerary)
      : program(make_device_program(itinerary)),
        shared(shared_device(device)) {
    cl_int code = CL_SUCCESS;
    const cl_program compiled = shared->compile(program.text);
    queue = cl().CreateCommandQueue(shared->context, shared->found.device, CL_QUEUE_PROFILING_ENABLE, &code);
    check(code, "take orders");
    kernel = cl().CreateKernel(compiled, "make_runs", &code);
    check(code, "make runs");
    plan = constant(program.plan.data(), program.plan.size());
    modes = constant(program.modes.data(), program.modes.size());
    follows = constant(program.follows.data(), program.follows.size() * sizeof(double));
    next = buffer(sizeof(cl_int));
  }
  ~Impl() {
    for (const cl_mem m : {plan, modes, follows, next, knobs, results, states})
      if (m) cl().ReleaseMemObject(m);
    if (kernel) cl().ReleaseKernel(kernel);
    if (queue) cl().ReleaseCommandQueue(queue);
  }

  void check(cl_int code, const char* what) const {
    if (code != CL_SUCCESS) fail(shared->found.about, what, code);
  }
  cl_mem buffer(std::size_t size) const {
    cl_int code = CL_SUCCESS;
    const cl_mem out =
        cl().CreateBuffer(shared->context, CL_MEM_READ_WRITE, std::max<std::size_t>(size, 8), nullptr, &code);
    check(code, "hold the runs");
    return out;
  }
  cl_mem constant(const void* data, std::size_t size) const {
    const cl_mem out = buffer(size);
    check(cl().EnqueueWriteBuffer(queue, out, CL_TRUE, 0, size, data, 0, nullptr, nullptr),
          "take the tables");
    return out;
  }
  void make_room(int count) {
    if (count <= room) return;
    for (cl_mem* m : {&knobs, &results, &states}) {
      if (*m) cl().ReleaseMemObject(*m);
      *m = nullptr;
    }
    room = 0;
    const auto n = static_cast<std::size_t>(count);
    knobs = buffer(n * static_cast<std::size_t>(program.knobs) * sizeof(double));
    results = buffer(n * static_cast<std::size_t>(program.results()) * sizeof(double));
    states = buffer(n * 4 * sizeof(cl_int));
    room = count;
  }

  void run(const std::vector<double>& from, int count, std::vector<double>& out, std::vector<int>& state) {
    make_room(count);
    const cl_int zero = 0, many = count;
    const auto n = static_cast<std::size_t>(count);
    check(cl().EnqueueWriteBuffer(queue, knobs, CL_FALSE, 0,
                                  n * static_cast<std::size_t>(program.knobs) * sizeof(double), from.data(),
                                  0, nullptr, nullptr),
          "take the knobs");
    check(cl().EnqueueWriteBuffer(queue, next, CL_TRUE, 0, sizeof zero, &zero, 0, nullptr, nullptr),
          "take the knobs");
    const cl_mem buffers[] = {plan, modes, follows, knobs, results, states, next};
    cl_uint at = 0;
    for (const cl_mem& m : buffers)
      check(cl().SetKernelArg(kernel, at++, sizeof m, &m), "be told what to do");
    check(cl().SetKernelArg(kernel, at, sizeof many, &many), "be told what to do");
    const bool gpu = shared->found.about.is_gpu;
    const std::size_t local = gpu ? 64 : 1;
    const std::size_t most = static_cast<std::size_t>(shared->found.about.units) * (gpu ? 512 : 4);
    const std::size_t global = std::min(most, (n + local - 1) / local * local);
    cl_event event = nullptr;
    check(cl().EnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, &event),
          "make runs");
    const cl_int waited = cl().WaitForEvents(1, &event);
    cl_ulong begin = 0, end = 0;
    cl().GetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr);
    cl().GetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
    cl().ReleaseEvent(event);
    check(waited, "make runs");
    seconds += 1e-9 * static_cast<double>(end - begin);
    out.resize(n * static_cast<std::size_t>(program.results()));
    state.resize(n * 4);
    check(cl().EnqueueReadBuffer(queue, results, CL_TRUE, 0, out.size() * sizeof(double), out.data(), 0,
                                 nullptr, nullptr),
          "give the results back");
    check(cl().EnqueueReadBuffer(queue, states, CL_TRUE, 0, state.size() * sizeof(cl_int), state.data(), 0,
                                 nullptr, nullptr),
          "give the results back");
  }

  DeviceProgram program;
  std::shared_ptr<Shared> shared;
  cl_command_queue queue = nullptr;
  cl_kernel kernel = nullptr;
  cl_mem plan = nullptr, modes = nullptr, follows = nullptr, next = nullptr;
  cl_mem knobs = nullptr, results = nullptr, states = nullptr;
  int room = 0;
  double seconds = 0;
};

DeviceRuns::DeviceRuns(const std::string& device, const Itinerary& itinerary)
    : impl_(std::make_unique<Impl>(device, itinerary)) {}
DeviceRuns::~DeviceRuns() = default;
void DeviceRuns::run(const std::vector<double>& knobs, int count, std::vector<double>& results,
                     std::vector<int>& states) {
  impl_->run(knobs, count, results, states);
}
const DeviceProgram& DeviceRuns::program() const { return impl_->program; }
double DeviceRuns::kernel_seconds() const { return impl_->seconds; }

}  // namespace lanes

ComputeDevices list_devices() {
  ComputeDevices out;
  for (const lanes::Found& f : lanes::find_all()) out.devices.push_back(f.about);
  if (!lanes::cl().handle)
    out.missing = "the OpenCL loader libOpenCL.so.1 was not found (Debian: ocl-icd-libopencl1)";
  else if (out.devices.empty())
    out.missing =
        "OpenCL has no driver here: that of the graphics card's maker brings one, listed in "
        "/etc/OpenCL/vendors; "
        "pocl-opencl-icd makes one of the processor";
  return out;
}

std::string checked_device(const std::string& asked, const std::string& place) {
  const std::vector<std::string> words = {"cpu", "gpu", "auto", "opencl"};
  if (asked.empty() || asked == "cpu") return {};
  const std::vector<lanes::Found> all = lanes::find_all();
  if (lanes::choose(all, asked == "auto" ? "gpu" : asked) >= 0) return asked == "auto" ? "gpu" : asked;
  if (asked == "auto") return {};
  const ComputeDevices there = list_devices();
  const bool is_word = std::find(words.begin(), words.end(), asked) != words.end();
  const bool is_number =
      !asked.empty() && std::all_of(asked.begin(), asked.end(), [](char c) { return c >= '0' && c <= '9'; });
  std::string why = !there.missing.empty() ? there.missing
                  : is_word ? "none of the devices here is one with numbers of double precision"
                            : fmt::format("there are {} devices", there.devices.size());
  if (!is_word && !is_number)
    why = fmt::format("it is none of {} or a number{}", one_of(words), did_you_mean(asked, words));
  throw InputError(
      {place}, fmt::format("there is no device \"{}\": {} (thud devices lists what there is)", asked, why));
}

#else

ComputeDevices list_devices() {
  return {{}, "this program was built without OpenCL (install opencl-headers and build it again)"};
}

std::string checked_device(const std::string& asked, const std::string& place) {
  if (asked.empty() || asked == "cpu" || asked == "auto") return {};
  throw InputError({place}, fmt::format("there is no device \"{}\": {}", asked, list_devices().missing));
}

#endif

}  // namespace thud

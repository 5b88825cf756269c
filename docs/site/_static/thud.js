document.addEventListener("DOMContentLoaded", () => {
  for (const node of document.querySelectorAll(".math"))
    katex.render(node.textContent, node, { displayMode: node.classList.contains("display"), throwOnError: false });
});

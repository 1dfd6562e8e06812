// Files made here.

/** Has the browser save a text or blob. @param {string} name @param {string} type @param {string | Blob} content */
export function save(name, type, content) {
  const blob = content instanceof Blob ? content : new Blob([content], { type: `${type};charset=utf-8` });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

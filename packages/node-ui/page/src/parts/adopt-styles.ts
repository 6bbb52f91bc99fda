/**
 * Makes style elements that scripts create set style sheets of the document. The content security policy forbids text in style elements, and the terminal library writes
 * its sizes and colors there.
 */
export function adoptStyles(): void {
  if (isDone) return;
  isDone = true;
  const create = document.createElement.bind(document);
  document.createElement = (tag: string, options?: ElementCreationOptions): HTMLElement => {
    if (tag.toLowerCase() !== 'style') return create(tag, options);
    // Even an empty style element would be reported as a violation.
    const element = create('i');
    element.hidden = true;
    adopt(element);
    return element;
  };
}

let isDone = false;

function adopt(element: HTMLElement): void {
  const sheet = new CSSStyleSheet();
  let text = '';
  document.adoptedStyleSheets.push(sheet);
  Object.defineProperty(element, 'textContent', {
    get: () => text,
    set(next: string) {
      text = next;
      sheet.replaceSync(next);
    },
  });
  const remove = element.remove.bind(element);
  element.remove = () => {
    remove();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}

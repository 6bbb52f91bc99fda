/** A link of a Markdown file. */
export interface MarkdownLink {
  /** Target without the anchor; empty for a link within the file. */
  readonly path: string;
  /** Part after `#`; `undefined` without one. */
  readonly anchor: string | undefined;
  /** Line of the link, counted from 1. */
  readonly line: number;
}

/** Returns the relative links and images of a Markdown text, without those in code. */
export function relativeLinks(markdown: string): MarkdownLink[] {
  return proseLines(markdown).flatMap(({ text, line }) =>
    [...text.replace(/`[^`]*`/g, '`').matchAll(/\]\(([^()\s]+)\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
      .map((target) => {
        const [path = '', anchor] = target.split('#');
        return { path, anchor, line };
      }),
  );
}

/** Returns the anchors of a Markdown text's headings, as GitHub derives them. */
export function headingAnchors(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const { text } of proseLines(markdown)) {
    const heading = /^#+\s+(.*)$/.exec(text)?.[1];
    if (heading === undefined) continue;
    const shown = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = shown.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${String(count)}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Lines outside of fenced blocks. */
function proseLines(markdown: string): { readonly text: string; readonly line: number }[] {
  let isFenced = false;
  return markdown.split('\n').flatMap((text, index) => {
    const isFence = text.trimStart().startsWith('```');
    if (isFence) isFenced = !isFenced;
    return isFence || isFenced ? [] : [{ text, line: index + 1 }];
  });
}

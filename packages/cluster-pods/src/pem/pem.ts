const LINE_LENGTH = 64;
const DASHES = 5;
const BEGIN = /-----BEGIN ([^-\n]+)-----[^\S\n]*\n/g;
/** The final dashes may be those of a next mark. */
const END = /-----END ([^-\n]+)(?=-----)/g;

/** Returns the contents of the blocks of a PEM text. Text between them, and their headers, are ignored. */
export function decodePem(text: string): readonly Buffer[] {
  // Each end is found once: a text may have thousands of blocks without one.
  const ends = new Map<string, { readonly from: number; readonly to: number }[]>();
  for (const { 0: mark, 1: label = '', index } of [...text.matchAll(END)].reverse()) {
    const lastFirst = ends.get(label) ?? [];
    ends.set(label, lastFirst);
    lastFirst.push({ from: index, to: index + mark.length + DASHES });
  }
  const blocks: Buffer[] = [];
  let decodedTo = 0;
  for (const { 0: mark, 1: label = '', index } of text.matchAll(BEGIN)) {
    if (index < decodedTo) continue;
    const from = index + mark.length;
    const later = ends.get(label) ?? [];
    while (later.length > 0 && later.at(-1)!.from < from) later.pop();
    const end = later.at(-1);
    if (end === undefined) continue;
    blocks.push(decodeBody(text.slice(from, end.from)));
    decodedTo = end.to;
  }
  return blocks;
}

function decodeBody(body: string): Buffer {
  const lines = body.split(/\r?\n/);
  const end = lines.some((line) => line.includes(':')) ? lines.indexOf('') + 1 : 0;
  return Buffer.from(lines.slice(end).join(''), 'base64');
}

/** Returns a block of a PEM text. */
export function encodePem(type: string, content: Uint8Array): string {
  const lines =
    Buffer.from(content)
      .toString('base64')
      .match(new RegExp(`.{1,${String(LINE_LENGTH)}}`, 'g')) ?? [];
  return [`-----BEGIN ${type}-----`, ...lines, `-----END ${type}-----`, ''].join('\n');
}

/** Returns certificates as PEM text without anything else. */
export function certificatesOnly(text: string): string {
  return decodePem(text)
    .map((content) => encodePem('CERTIFICATE', content))
    .join('');
}

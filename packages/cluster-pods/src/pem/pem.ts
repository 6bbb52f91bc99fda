const LINE_LENGTH = 64;
const BLOCK = /-----BEGIN ([^-\n]+)-----\s*?\n([\s\S]*?)-----END \1-----/g;

/** Returns the contents of the blocks of a PEM text. Text between them, and their headers, are ignored. */
export function decodePem(text: string): readonly Buffer[] {
  return [...text.matchAll(BLOCK)].map(([, , body = '']) => {
    const lines = body.split(/\r?\n/);
    const end = lines.some((line) => line.includes(':')) ? lines.indexOf('') + 1 : 0;
    return Buffer.from(lines.slice(end).join(''), 'base64');
  });
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

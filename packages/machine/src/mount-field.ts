/** Decodes a field of the kernel's mount tables, in which blanks, tabs, line feeds and backslashes are octal numbers. */
export function decodeMountField(text: string): string {
  if (!text.includes('\\')) return text;
  // One character is one byte here, so that names in any encoding are restored.
  const bytes = Buffer.from(text).toString('latin1');
  const decoded = bytes.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  return Buffer.from(decoded, 'latin1').toString();
}

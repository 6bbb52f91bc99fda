/** Returns a description as a sentence: with an initial capital and a full stop. */
export function sentence(description: string): string {
  return `${description[0]!.toUpperCase()}${description.slice(1).replace(/\.$/, '')}.`;
}

/** Lists what a message names: all of few, the first of many. Long items are cut, because they come from files that may hold anything. */
export function listSome(items: readonly string[], separator: string, most = 20): string {
  const listed = items.slice(0, most).map((item) => (item.length > 300 ? `${item.slice(0, 300)}…` : item));
  if (items.length > most) listed.push(`and ${String(items.length - most)} more`);
  return listed.join(separator);
}

/** Returns the families of a Prometheus text whose name begins with a prefix. */
export function selectMetrics(text: string, prefix: string): string {
  let isSelected = false;
  const selected = text.split('\n').filter((line) => {
    const name = /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1];
    if (name !== undefined) isSelected = name.startsWith(prefix);
    return isSelected && line !== '';
  });
  return selected.length === 0 ? '' : `${selected.join('\n')}\n`;
}

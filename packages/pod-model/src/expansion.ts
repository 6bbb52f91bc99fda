/**
 * Replaces `$(NAME)` references as in a container's `command`, `args` and `env`. A reference for which `lookup` returns `undefined` is kept, `$$` is a
 * literal `$`, and values are not expanded again.
 */
export function expandVariables(text: string, lookup: (name: string) => string | undefined): string {
  let dollar = text.indexOf('$');
  if (dollar === -1) return text;
  let expanded = '';
  let copied = 0;
  while (dollar !== -1 && dollar + 1 < text.length) {
    const next = text[dollar + 1];
    let end = dollar + 1;
    if (next === '$') {
      expanded += text.slice(copied, end);
      copied = end = dollar + 2;
    } else if (next === '(') {
      const close = text.indexOf(')', dollar + 2);
      // An unclosed reference is literal; the text after it may contain `$$`.
      if (close === -1) {
        end = dollar + 2;
      } else {
        end = close + 1;
        expanded += text.slice(copied, dollar) + (lookup(text.slice(dollar + 2, close)) ?? text.slice(dollar, end));
        copied = end;
      }
    }
    dollar = text.indexOf('$', end);
  }
  return expanded + text.slice(copied);
}

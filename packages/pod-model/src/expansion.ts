/** Longest text with its variables expanded, in characters: that of the largest message to a container runtime. */
export const MAX_EXPANDED_LENGTH: number = 16 * 1024 * 1024;

/**
 * Replaces `$(NAME)` references as in a container's `command`, `args` and `env`. A reference for which `lookup` returns `undefined` is kept, `$$` is a
 * literal `$`, and values are not expanded again.
 *
 * @throws RangeError for a result of more than 16 Mi characters
 */
export function expandVariables(text: string, lookup: (name: string) => string | undefined): string {
  let dollar = text.indexOf('$');
  if (dollar === -1) return text;
  let expanded = '';
  let copied = 0;
  let isClosedLater = true;
  while (dollar !== -1 && dollar + 1 < text.length) {
    const next = text[dollar + 1];
    let end = dollar + 1;
    if (next === '$') {
      expanded += text.slice(copied, end);
      copied = end = dollar + 2;
    } else if (next === '(') {
      const close = isClosedLater ? text.indexOf(')', dollar + 2) : -1;
      // An unclosed reference is literal; the text after it may contain `$$`.
      if (close === -1) {
        isClosedLater = false;
        end = dollar + 2;
      } else {
        end = close + 1;
        expanded += text.slice(copied, dollar) + (lookup(text.slice(dollar + 2, close)) ?? text.slice(dollar, end));
        copied = end;
        if (expanded.length > MAX_EXPANDED_LENGTH)
          throw new RangeError(
            `the text has more than ${String(MAX_EXPANDED_LENGTH)} characters with its variables expanded`,
          );
      }
    }
    dollar = text.indexOf('$', end);
  }
  return expanded + text.slice(copied);
}

/** Longest line of an environment file, with its end: the limit of the kubelet's reader. */
const MAX_LINE_BYTES = 64 * 1024;

/** An environment file that is not in the expected form. */
export class EnvFileError extends Error {
  override readonly name = 'EnvFileError';
}

/**
 * Returns the value of a key in an environment file (`NAME='value'` lines); empty when there is none. Values stand in single quotes, without escapes, and may
 * span lines. Reading stops at the first match, so that faults after it do not matter.
 * @throws EnvFileError for a fault before the key
 */
export function envFileValue(text: string, key: string): string {
  const lines = linesOf(text);
  for (let index = 0; index < lines.length; index += 1) {
    const line = checked(lines, index)!.replace(/^[ \t]+/, '');
    if (line === '' || line.startsWith('#')) continue;
    const equals = line.indexOf('=');
    const name = line.slice(0, Math.max(0, equals));
    if (equals < 0) throw fault(index, "missing '='");
    if (/^[ \t]*$/.test(name)) throw fault(index, 'empty variable name');
    if (/[ \t]$/.test(name)) throw fault(index, "whitespace before '=' is not allowed");

    const given = line.slice(equals + 1);
    // As in a shell, the name is set to nothing, and the rest of the line is a command.
    if (/^[ \t]/.test(given)) {
      if (name === key) return '';
      continue;
    }
    if (!given.startsWith("'")) throw fault(index, 'value must be enclosed in single quotes');
    let value = '';
    let rest = given.slice(1);
    let close = rest.indexOf("'");
    while (close < 0) {
      value += `${rest}\n`;
      index += 1;
      const next = checked(lines, index);
      if (next === undefined) throw fault(index, 'unclosed single quote');
      rest = next;
      close = rest.indexOf("'");
    }
    value += rest.slice(0, close);
    const after = rest.slice(close + 1).replace(/^[ \t]+/, '');
    if (after !== '' && !after.startsWith('#')) throw fault(index, 'unexpected content after closing quote');
    if (name === key) return value;
  }
  return '';
}

/** Splits a text into lines without their ends, `\n` or `\r\n`. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function checked(lines: readonly string[], index: number): string | undefined {
  const line = lines[index];
  if (line === undefined) return undefined;
  if (Buffer.byteLength(line) >= MAX_LINE_BYTES) throw fault(index, 'line is too long');
  return line.replace(/\r$/, '');
}

function fault(index: number, what: string): EnvFileError {
  return new EnvFileError(`invalid environment file, line ${String(index + 1)}: ${what}`);
}

/** Returns plain data as YAML, for people to read and to copy. */
export function toYaml(value: unknown): string {
  return lines(value, '').join('\n');
}

function lines(value: unknown, indent: string): readonly string[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return [`${indent}[]`];
    return value.flatMap((item: unknown) => {
      const [first = '', ...rest] = lines(item, `${indent}  `);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value as Readonly<Record<string, unknown>>).filter(([, item]) => item !== undefined);
    if (entries.length === 0) return [`${indent}{}`];
    return entries.flatMap(([key, item]) => {
      const name = `${indent}${scalar(key)}:`;
      const isNested = typeof item === 'object' && item !== null && Object.keys(item).length > 0;
      if (isNested) return [name, ...lines(item, Array.isArray(item) ? indent : `${indent}  `)];
      if (typeof item === 'string' && item.includes('\n'))
        return [
          `${name} |${item.endsWith('\n') ? '' : '-'}`,
          ...item
            .replace(/\n$/, '')
            .split('\n')
            .map((line) => `${indent}  ${line}`),
        ];
      return [`${name} ${lines(item, '').join('')}`];
    });
  }
  return [`${indent}${scalar(value)}`];
}

/** Texts that YAML reads as text without quotes. */
const PLAIN = /^[A-Za-z_./][\w./@-]*(?::[\w./@-]+)*$/;
const NOT_TEXT = /^(?:true|false|null|yes|no|on|off|y|n|~|\.inf|\.nan)$/i;

function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return PLAIN.test(value) && !NOT_TEXT.test(value) ? value : JSON.stringify(value);
}

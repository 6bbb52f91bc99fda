import { UsageError } from '../config/config-error.ts';
import { parseColumns, type CustomColumn } from '../output/custom-columns.ts';
import { type JsonPath, parseJsonPath } from '../output/json-path.ts';

/** Form of the output of `get`. */
export type OutputFormat =
  | { readonly kind: 'json' | 'name' | 'table' | 'wide' | 'yaml' }
  | { readonly kind: 'jsonpath' | 'jsonpath-as-json'; readonly template: JsonPath }
  | { readonly kind: 'custom-columns'; readonly columns: readonly CustomColumn[] };

const PLAIN = ['json', 'yaml', 'wide', 'name'] as const;
const FORMS = [...PLAIN, 'jsonpath=…', 'jsonpath-as-json=…', 'custom-columns=…'];

/** Parses the value of `-o`. @throws UsageError for another format, and for a malformed template */
export function parseOutputFormat(text: string): OutputFormat {
  const plain = PLAIN.find((each) => each === text);
  if (plain !== undefined) return { kind: plain };
  const [, name = text, argument] = /^([a-z-]+)=(.*)$/s.exec(text) ?? [];
  if (name === 'jsonpath' || name === 'jsonpath-as-json') {
    if (!argument)
      throw new UsageError(`template format specified but no template given: -o ${name}='{.metadata.name}'`);
    return { kind: name, template: parseJsonPath(argument) };
  }
  if (name === 'custom-columns') {
    if (!argument)
      throw new UsageError(
        'custom-columns format specified but no custom columns given: -o custom-columns=NAME:.metadata.name',
      );
    return { kind: name, columns: parseColumns(argument) };
  }
  const instead = name.startsWith('go-template') ? '; instead of a Go template, use jsonpath or custom-columns' : '';
  throw new UsageError(
    `unable to match a printer suitable for the output format "${text}": allowed are ${FORMS.join(', ')}${instead}`,
  );
}

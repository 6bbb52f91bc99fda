import { SelectorError } from './selector-error.ts';

/** A comparison of a field selector. */
export interface FieldRequirement {
  readonly field: string;
  readonly isNegated: boolean;
  readonly value: string;
}

/** Parses a field selector such as `spec.nodeName=a,metadata.name!=b`. @throws SelectorError when it is malformed */
export function parseFieldSelector(selector: string): readonly FieldRequirement[] {
  return selector
    .split(/(?<!\\),/)
    .filter((part) => part !== '')
    .map((part) => {
      const match = /^([^=!]+)(==|=|!=)(.*)$/s.exec(part);
      if (!match) throw new SelectorError(`invalid selector: '${part}'; can't understand '${part}'`);
      const [, field = '', operator, value = ''] = match;
      return { field: field.trim(), isNegated: operator === '!=', value: value.replace(/\\([\\,=])/g, '$1') };
    });
}

/** Reports whether an object with these values of its selectable fields meets all requirements. A field that it does not have is empty. */
export function matchesFields(
  requirements: readonly FieldRequirement[],
  values: Readonly<Record<string, string>>,
): boolean {
  return requirements.every(({ field, isNegated, value }) => ((values[field] ?? '') === value) !== isNegated);
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const subdomainPattern = new RegExp(`^${SUBDOMAIN}$`);
const namePattern = new RegExp(`^${NAME}$`);
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const nameRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is ";

/** Returns the faults of the key of a label or annotation with the API's messages; none for a valid key. */
export function labelKeyProblems(key: string): readonly string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${nameRule}'${NAME}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1)!;
  const problems = parts.length === 2 ? prefixProblems(parts[0]!) : [];
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > 63) problems.push('name part must be no more than 63 bytes');
  if (!namePattern.test(name)) problems.push(`name part ${nameRule}'${NAME}')`);
  return problems;
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  const problems = prefix.length > 253 ? ['prefix part must be no more than 253 bytes'] : [];
  if (!subdomainPattern.test(prefix)) problems.push(`prefix part ${subdomainRule}`);
  return problems;
}

/** Reports whether a text is a qualified name: the key of a label, or the name of a resource. */
export function isQualifiedName(text: string): boolean {
  return labelKeyProblems(text).length === 0;
}

/** Reports whether a text may be the value of a label. */
export function isLabelValue(text: string): boolean {
  return text === '' || (text.length <= 63 && namePattern.test(text));
}

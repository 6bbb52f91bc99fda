/** Rules of the API for names, with the messages of a kubelet; an empty list for a valid name. */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const MAX_LABEL = 63;
const MAX_SUBDOMAIN = 253;
const labelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";

/** Returns the faults of a DNS label, such as a host name. */
export function dnsLabelProblems(name: string): string[] {
  const problems = tooLong(name, MAX_LABEL);
  if (matches(LABEL, name)) return problems;
  if (matches(SUBDOMAIN, name)) return [...problems, 'must not contain dots'];
  return [...problems, pattern(labelMessage, LABEL, 'my-name', '123-abc')];
}

/** Returns the faults of a DNS subdomain. */
export function dnsSubdomainProblems(name: string): string[] {
  const problems = tooLong(name, MAX_SUBDOMAIN);
  return matches(SUBDOMAIN, name) ? problems : [...problems, pattern(subdomainMessage, SUBDOMAIN, 'example.com')];
}

function tooLong(name: string, maxBytes: number): string[] {
  return Buffer.byteLength(name) > maxBytes ? [`must be no more than ${String(maxBytes)} characters`] : [];
}

function matches(expression: string, name: string): boolean {
  return new RegExp(`^(?:${expression})$`).test(name);
}

function pattern(message: string, expression: string, ...examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${list}regex used for validation is '${expression}')`;
}

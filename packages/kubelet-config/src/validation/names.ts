const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Reports whether a text is a qualified name: `name` or `prefix.example/name`. */
export function isQualifiedName(text: string): boolean {
  const parts = text.split('/');
  const name = parts.pop() ?? '';
  const [prefix, ...more] = parts;
  if (more.length > 0 || name.length > 63 || !NAME.test(name)) return false;
  return prefix === undefined || (prefix.length <= 253 && DNS_SUBDOMAIN.test(prefix));
}

/** Reports whether a text is the value of a label. */
export function isLabelValue(text: string): boolean {
  return text === '' || (text.length <= 63 && NAME.test(text));
}

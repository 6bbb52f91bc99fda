const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const DOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const MAX_NAME_LENGTH = 63;
const MAX_DOMAIN_LENGTH = 253;

/** Reports whether a text is a qualified name: the key of a label, or the name of a resource. */
export function isQualifiedName(text: string): boolean {
  const slash = text.indexOf('/');
  const name = text.slice(slash + 1);
  if (name.length > MAX_NAME_LENGTH || !NAME.test(name)) return false;
  if (slash === -1) return true;
  const domain = text.slice(0, slash);
  return domain.length <= MAX_DOMAIN_LENGTH && DOMAIN.test(domain);
}

/** Reports whether a text may be the value of a label. */
export function isLabelValue(text: string): boolean {
  return text === '' || (text.length <= MAX_NAME_LENGTH && NAME.test(text));
}

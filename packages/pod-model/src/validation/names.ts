import { isIP } from 'node:net';

/** Checks a name or value. Returns the problems; none when it is valid. */
export type NameCheck = (value: string) => readonly string[];

function check(value: string, maxLength: number, pattern: RegExp, rule: string): readonly string[] {
  const messages: string[] = [];
  if (value.length > maxLength) messages.push(`${quote(value)} has more than ${String(maxLength)} characters`);
  if (!pattern.test(value)) messages.push(`${quote(value)} must ${rule}`);
  return messages;
}

function quote(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}

const labelPattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const labelRule = "consist of lower-case letters, digits and '-', and start and end with a letter or digit";
const subdomainPattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const subdomainRule = "consist of lower-case letters, digits, '-' and '.', and start and end with a letter or digit";

const searchPattern = /^[a-z0-9_](?:[-a-z0-9_]*[a-z0-9_])?(?:\.[a-z0-9_](?:[-a-z0-9_]*[a-z0-9_])?)*$/;

/** A DNS label by RFC 1123: names of containers, volumes, namespaces. */
export const checkDnsLabel: NameCheck = (value) =>
  value.includes('.') ? [`${quote(value)} must not contain dots`] : check(value, 63, labelPattern, labelRule);

/** A DNS subdomain by RFC 1123: names of most objects. */
export const checkDnsSubdomain: NameCheck = (value) => check(value, 253, subdomainPattern, subdomainRule);

/** A search domain of resolv.conf: a subdomain, perhaps with underscores and a final dot, or the root. */
export const checkSearchDomain: NameCheck = (value) =>
  value === '.' ? [] : check(value.replace(/\.$/, ''), 253, searchPattern, `${subdomainRule}, or '_'`);

/** A key of labels and annotations, a type of condition: an optional domain, `/`, a name. */
export const checkQualifiedName: NameCheck = (value) => {
  const [name = '', prefix, ...rest] = value.split('/').reverse();
  if (rest.length > 0) return [`${quote(value)} must be a name, or a domain, '/' and a name`];
  const messages = [
    ...check(
      name,
      63,
      /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/,
      `have a name of letters, digits, '-', '_' and '.'`,
    ),
  ];
  if (prefix === '') messages.push(`${quote(value)} must have a domain before '/'`);
  else if (prefix !== undefined) messages.push(...checkDnsSubdomain(prefix));
  return messages;
};

/** A value of a label. */
export const checkLabelValue: NameCheck = (value) =>
  check(
    value,
    63,
    /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/,
    "be empty, or consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit",
  );

/** The name of an environment variable: printable ASCII without `=`. */
export const checkEnvName: NameCheck = (value) =>
  /^[\x20-\x3c\x3e-\x7e]+$/.test(value)
    ? []
    : [`${quote(value)} must consist of printable ASCII characters other than '='`];

/** A key in a config map or secret. */
export const checkConfigKey: NameCheck = (value) => {
  if (value === '.' || value === '..') return [`${quote(value)} is not allowed`];
  return check(value, 253, /^[-._a-zA-Z0-9]+$/, "consist of letters, digits, '-', '_' and '.'");
};

/** The name of a port, an IANA service name. */
export const checkPortName: NameCheck = (value) => {
  const messages = [...check(value, 15, /^[-a-z0-9]+$/, "consist of lower-case letters, digits and '-'")];
  if (!/[a-z]/.test(value)) messages.push(`${quote(value)} must contain a letter`);
  if (value.includes('--')) messages.push(`${quote(value)} must not contain consecutive hyphens`);
  if (value.startsWith('-') || value.endsWith('-'))
    messages.push(`${quote(value)} must not begin or end with a hyphen`);
  return messages;
};

/** The number of a port. */
export function checkPortNumber(port: number): readonly string[] {
  return port >= 1 && port <= 65_535 ? [] : [`${String(port)} is not between 1 and 65535`];
}

/** The name of an HTTP header. */
export const checkHeaderName: NameCheck = (value) =>
  check(value, Infinity, /^[-A-Za-z0-9]+$/, "consist of letters, digits and '-'");

/** An IP address. */
export const checkIp: NameCheck = (value) => (isIP(value) === 0 ? [`${quote(value)} is no IP address`] : []);

/** A kernel parameter, with dots or slashes. */
export const checkSysctlName: NameCheck = (value) =>
  check(
    value,
    253,
    /^(?:[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/,
    "consist of parts of lower-case letters, digits, '-' and '_', with '.' or '/' between them",
  );

/** A numeric user or group id. */
export function checkUserId(id: number): readonly string[] {
  return id >= 0 && id <= 2 ** 31 - 1 ? [] : [`${String(id)} is not between 0 and 2147483647`];
}

/** A path that stays below where it begins. */
export const checkDescendingPath: NameCheck = (path) => [
  ...(path.startsWith('/') ? [`${quote(path)} must be a relative path`] : []),
  ...checkNoBacksteps(path),
];

/** A {@link checkDescendingPath} at whose end a file of a volume is put: those beginning with `..` are for the node's own use. */
export const checkVolumeFilePath: NameCheck = (path) => {
  const messages = checkDescendingPath(path);
  return messages.length === 0 && path.startsWith('..') ? [`${quote(path)} must not start with '..'`] : messages;
};

/** A path that never goes up. */
export const checkNoBacksteps: NameCheck = (path) =>
  path.split('/').includes('..') ? [`${quote(path)} must not contain '..'`] : [];

import type { RegistryAuth } from '@rxlet/agent-api/images';
import type { KeyringEntry } from './keyring.ts';
import { createRegistryAuth } from './registry-auth.ts';

/** Entry of a docker config for one registry. */
export type DockerConfigEntry = KeyringEntry<RegistryAuth>;

/** Error of an unusable docker config. The message names the entry, never its content. */
export class DockerConfigError extends Error {
  override readonly name = 'DockerConfigError';
  readonly reason = 'InvalidDockerConfig';
}

/**
 * Parses the current docker config, `{"auths": {"<registry>": {…}}}`: a file `config.json` or the key `.dockerconfigjson` of a secret. Helpers, headers and
 * other fields are ignored.
 *
 * @throws {@link DockerConfigError}
 */
export function parseDockerConfigJson(text: string): readonly DockerConfigEntry[] {
  return readEntries(field(parseObject(text), 'auths'), 'auths');
}

/**
 * Parses the legacy docker config, `{"<registry>": {…}}`: a file `.dockercfg` or the key `.dockercfg` of a secret.
 *
 * @throws {@link DockerConfigError}
 */
export function parseDockercfg(text: string): readonly DockerConfigEntry[] {
  return readEntries(parseObject(text), 'it');
}

/** Returns the registry for messages: a key may be a URL with a password. */
export function printableRegistry(registry: string): string {
  const start = /^https?:\/\//.exec(registry)?.[0] ?? '';
  const authority = registry.slice(start.length).split(/[/?#]/, 1)[0]!;
  return JSON.stringify(start + registry.slice(start.length + authority.lastIndexOf('@') + 1));
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // The parser's own message quotes the text.
    const place = /at position (\d+)/.exec((error as Error).message)?.[1];
    throw new DockerConfigError(`not valid JSON${place === undefined ? '' : ` at character ${place}`}`);
  }
}

function readEntries(entries: unknown, where: string): readonly DockerConfigEntry[] {
  if (entries === undefined || entries === null) return [];
  if (!isObject(entries)) throw new DockerConfigError(`${where} must be an object with a registry as each key`);
  return Object.entries(entries).map(([registry, entry]) => {
    try {
      return { registry, credential: readEntry(entry) };
    } catch (error) {
      if (!(error instanceof DockerConfigError)) throw error;
      throw new DockerConfigError(`the entry for ${printableRegistry(registry)}: ${error.message}`);
    }
  });
}

/** As in the kubelet, tokens have no effect here: `identitytoken` and `registrytoken` are ignored, as is `email`. */
function readEntry(entry: unknown): RegistryAuth {
  if (entry === null) return createRegistryAuth('', '');
  if (!isObject(entry)) throw new DockerConfigError('it must be an object');
  const auth = stringField(entry, 'auth');
  if (auth !== '') return decodeAuth(auth);
  return createRegistryAuth(stringField(entry, 'username'), stringField(entry, 'password'));
}

/** `base64(username:password)`, with or without padding. A password may contain colons, and some tools end it with NULs. */
function decodeAuth(field: string): RegistryAuth {
  const base64 = field.trim().replaceAll(/[\r\n]/g, '');
  const digits = trimEnd(base64, '=');
  const isPadded = digits.length < base64.length;
  const isBase64 =
    /^[A-Za-z0-9+/]*$/.test(digits) && (isPadded ? base64.length === Math.ceil(digits.length / 4) * 4 : true);
  if (!isBase64 || digits.length % 4 === 1) throw new DockerConfigError('its auth is not valid base64');
  const decoded = Buffer.from(digits, 'base64').toString();
  const colon = decoded.indexOf(':');
  if (colon < 0) throw new DockerConfigError('its auth must be base64 of username:password');
  return createRegistryAuth(decoded.slice(0, colon), trimEnd(decoded.slice(colon + 1), '\0'));
}

/** Removes a character from the end of a text, in time linear in its length: a regular expression looks at a run in the middle once for each character of it. */
function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

function stringField(object: object, name: string): string {
  const value = field(object, name) ?? '';
  if (typeof value !== 'string') throw new DockerConfigError(`its ${name} must be a string`);
  return value;
}

/** As in Go, names of JSON fields match in any case; the last one counts. */
function field(object: unknown, name: string): unknown {
  if (!isObject(object)) {
    if (object === null) return undefined;
    throw new DockerConfigError('it must be a JSON object');
  }
  return Object.entries(object).findLast(([key]) => key.toLowerCase() === name)?.[1];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

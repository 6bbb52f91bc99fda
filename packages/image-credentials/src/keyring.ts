import { parseRegistryPattern, type RegistryPattern } from './registry-pattern.ts';
import { parseRegistryLocation } from './registry-url.ts';

/** A credential and its registry. */
export interface KeyringEntry<T> {
  /** As in a docker config: a host with an optional port, path, globs and scheme. */
  readonly registry: string;
  readonly credential: T;
}

/** Finds credentials by image. */
export interface Keyring<T> {
  /**
   * Returns the credentials for an image, those of the most specific registry first. `image` may have a tag or a digest; a short name is looked up as
   * written, and belongs to Docker Hub only if nothing else matches it.
   */
  lookup(image: string): readonly T[];
  /** Invalid registries; their credentials are never returned. */
  readonly invalidRegistries: readonly string[];
}

/** Docker Hub's key, in legacy form `https://index.docker.io/v1/`. */
const DEFAULT_REGISTRY = 'index.docker.io';

/** Creates a {@link Keyring} of `entries`. Credentials of one registry keep their order. */
export function createKeyring<T>(entries: Iterable<KeyringEntry<T>>): Keyring<T> {
  const byKey = new Map<string, { readonly pattern: RegistryPattern | undefined; readonly credentials: T[] }>();
  const invalidRegistries: string[] = [];
  for (const { registry, credential } of entries) {
    const key = registryKey(registry);
    if (key === undefined) {
      invalidRegistries.push(registry);
      continue;
    }
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, { pattern: parseRegistryPattern(key), credentials: [credential] });
    else known.credentials.push(credential);
  }
  // In reverse order a longer path comes before its beginnings.
  const sorted = [...byKey].sort(([a], [b]) => Buffer.compare(Buffer.from(b), Buffer.from(a)));

  return {
    lookup(image) {
      // An image without a location, as `nginx:latest`, matches nothing by its location.
      const location = parseRegistryLocation(image);
      const found =
        location === undefined
          ? []
          : sorted
              .filter(([, { pattern }]) => pattern?.matches(location))
              .flatMap(([, { credentials }]) => credentials);
      if (found.length > 0) return found;
      return isOnDockerHub(image) ? [...(byKey.get(DEFAULT_REGISTRY)?.credentials ?? [])] : [];
    },
    invalidRegistries,
  };
}

/** Returns the host and path by which a registry is looked up; a scheme and the version of Docker's API in front of the path do not count. */
function registryKey(registry: string): string | undefined {
  const location = parseRegistryLocation(registry.replace(/^https?:\/\//, ''));
  if (location === undefined) return undefined;
  const path = location.path.replace(/^\/v[12]\//, '/');
  return path === '/' ? location.host : location.host + path;
}

function isOnDockerHub(image: string): boolean {
  const slash = image.indexOf('/');
  if (slash < 0) return image !== '';
  const first = image.slice(0, slash);
  if (first === 'docker.io' || first === DEFAULT_REGISTRY) return true;
  // A registry has a dot or a colon, a user's name has neither.
  return first !== '' && !/[.:]/.test(first);
}

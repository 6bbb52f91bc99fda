import type { SourceImports } from './source-imports.ts';
import { isBundled, type Manifest } from './workspace-packages.ts';

type Ranges = Readonly<Record<string, string>>;

/** Libraries whose types show in public types, with the range that packages accept as their peer. */
const PEERS: Ranges = {
  '@bufbuild/protobuf': '^2.17.0',
  '@connectrpc/connect': '^2.2.0',
  '@opentelemetry/api': '^1.10.0',
  'prom-client': '^15.1.3',
  rxjs: '^7.8.2',
};

/** Peers that only one subpath of each package needs. A manifest names further ones in its `peerDependenciesMeta`. */
const OPTIONAL_PEERS = ['@types/node', 'prom-client'];

/** The workspace root provides the test tools for all packages. */
const ROOT_TOOLS = ['eslint', 'fast-check', 'typescript', 'vitest'];

/**
 * Returns the package.json with its dependencies as the sources state them by their imports. `versions` are the versions of third-party packages
 * that the workspace uses.
 *
 * @throws Error when the version of an imported package is not known
 */
export function syncedManifest(
  manifest: Manifest,
  { production, test }: SourceImports,
  manifests: ReadonlyMap<string, Manifest>,
  versions: ReadonlyMap<string, string>,
): Manifest {
  const versionOf = (name: string): string => {
    const version = manifests.get(name)?.version ?? versions.get(name);
    if (version === undefined)
      throw new Error(
        `no package.json states the version of "${name}": add it to the dependencies of ${manifest.name}`,
      );
    return version;
  };
  const imported = [...production.keys()].filter((name) => name !== manifest.name);
  const tested = [...test.keys()].filter((name) => name !== manifest.name && !ROOT_TOOLS.includes(name));
  const library = !isBundled(manifest) && manifest.private !== true;

  const isPeer = (name: string): boolean => library && (name in PEERS || isOptional(manifest, name));
  const dependencies = isBundled(manifest) ? [] : imported.filter((name) => !isPeer(name));
  const peers = new Set(imported.filter(isPeer));
  if (library) {
    if (manifest.peerDependencies?.['@types/node'] !== undefined) peers.add('@types/node');
    for (const peer of dependencies.flatMap((name) => inheritedPeers(manifests.get(name)))) peers.add(peer);
  }
  const others = [...imported, ...tested].filter((name) => !dependencies.includes(name));
  const types = Object.keys(manifest.devDependencies ?? {}).filter(
    (name) => name.startsWith('@types/') && [...imported, ...tested].includes(name.slice('@types/'.length)),
  );
  const {
    dependencies: _,
    peerDependencies: __,
    peerDependenciesMeta: ___,
    devDependencies: ____,
    nx,
    ...metadata
  } = manifest;
  return {
    ...metadata,
    ...nonEmpty(
      'dependencies',
      ranges(dependencies, (name) => (manifests.has(name) ? '' : library ? '^' : '') + versionOf(name)),
    ),
    ...nonEmpty(
      'peerDependencies',
      ranges(
        peers,
        (name) => PEERS[name] ?? (name === '@types/node' ? '>=24' : (manifests.has(name) ? '' : '^') + versionOf(name)),
      ),
    ),
    ...nonEmpty(
      'peerDependenciesMeta',
      Object.fromEntries(
        [...peers]
          .filter((name) => isOptional(manifest, name))
          .sort()
          .map((name) => [name, { optional: true }]),
      ),
    ),
    ...nonEmpty(
      'devDependencies',
      ranges([...others, ...types], (name) =>
        name.startsWith('@types/') ? (manifest.devDependencies?.[name] ?? versionOf(name)) : versionOf(name),
      ),
    ),
    ...(nx && { nx }),
  };
}

/** Peers of a dependency are peers of the package that depends on it. */
function inheritedPeers(manifest: Manifest | undefined): string[] {
  return Object.keys(manifest?.peerDependencies ?? {}).filter((name) => !isOptional(manifest, name));
}

function isOptional(manifest: Manifest | undefined, name: string): boolean {
  return OPTIONAL_PEERS.includes(name) || manifest?.peerDependenciesMeta?.[name]?.optional === true;
}

function ranges(names: Iterable<string>, rangeOf: (name: string) => string): Ranges {
  return Object.fromEntries([...new Set(names)].sort().map((name) => [name, rangeOf(name)]));
}

function nonEmpty<K extends string, V extends object>(key: K, value: V): Partial<Record<K, V>> {
  return Object.keys(value).length === 0 ? {} : ({ [key]: value } as Record<K, V>);
}

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { runCommand } from '../../publish/run-command.ts';
import { workspaceRoot } from '../../workspace/workspace-files.ts';
import { readManifest } from '../../workspace/workspace-packages.ts';
import type { SystemLibrary } from './image.ts';
import type { NodeBinary } from './node-binary.ts';
import type { BundledProgram } from './program-files.ts';

/** The fields of CycloneDX that are read here; all others are passed on. */
interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
}
interface Bill {
  readonly metadata: { readonly tools?: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/** Facts of a bill of materials that its program does not have. */
export interface BillFacts {
  readonly version: string;
  /** Seconds since the epoch. */
  readonly timeSeconds: number;
  /** Libraries of the system that are included; none in a package that depends on them. */
  readonly systemLibraries: readonly SystemLibrary[];
}

/**
 * Returns the software bill of materials (CycloneDX 1.5, JSON) of a program: Node.js and the libraries in its bundle, as `npm sbom` describes them. The same program has the same
 * bill: its serial number is derived from its content.
 *
 * @throws Error when npm does not know a library of the bundle
 */
export async function billOfMaterials(bundled: BundledProgram, node: NodeBinary, facts: BillFacts): Promise<string> {
  const { program, libraries } = bundled;
  const workspace = readManifest(join(workspaceRoot, program.folder)).name;
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--workspace', workspace];
  const all = JSON.parse(await runCommand('npm', args, workspaceRoot)) as Bill;
  const included = libraries.map((folder) => {
    const { name, version } = readManifest(folder);
    const component = all.components.find((each) => each['bom-ref'] === `${name}@${version}`);
    if (component === undefined) throw new Error(`cannot describe ${name} ${version}: "npm sbom" does not list it`);
    return component;
  });
  const others = [nodeComponent(node), ...facts.systemLibraries.map(systemComponent)];
  const components = uniqueByReference([...included, ...others]);
  const references = new Set(components.map((component) => component['bom-ref']));
  const main = `${program.name}@${facts.version}`;
  const dependencies = [
    { ref: main, dependsOn: [...references] },
    ...all.dependencies
      .filter(({ ref }) => references.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => references.has(each)) })),
    ...others.map((component) => ({ ref: component['bom-ref'], dependsOn: [] })),
  ];
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      timestamp: new Date(facts.timeSeconds * 1000).toISOString(),
      tools: all.metadata.tools,
      component: {
        'bom-ref': main,
        type: 'application',
        name: program.name,
        version: facts.version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components,
    dependencies: uniqueBy(dependencies, ({ ref }) => ref),
  };
  return `${JSON.stringify({ ...bill, serialNumber: serialNumber(JSON.stringify(bill)) }, null, 2)}\n`;
}

function nodeComponent({ version, sha256, npmPackage }: NodeBinary): Component {
  const component = {
    'bom-ref': `${npmPackage}@${version}`,
    type: 'application',
    name: 'node',
    version,
    purl: `pkg:npm/${npmPackage}@${version}`,
    hashes: [{ alg: 'SHA-256', content: sha256 }],
    licenses: [{ license: { id: 'MIT' } }],
  };
  return component;
}

function systemComponent({ package: { name, version } }: SystemLibrary): Component {
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}`;
  const component = { 'bom-ref': purl, type: 'library', name, version, purl };
  return component;
}

function uniqueByReference(components: readonly Component[]): readonly Component[] {
  return uniqueBy(components, (component) => component['bom-ref']);
}

/** Drops later items of the same key, and sorts by key. */
function uniqueBy<T>(items: readonly T[], key: (item: T) => string): readonly T[] {
  const first = new Map(items.toReversed().map((item) => [key(item), item]));
  return [...first.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Returns a UUID (version 8: of an own rule) made of a digest. */
function serialNumber(content: string): string {
  const digits = createHash('sha256').update(content).digest('hex');
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}

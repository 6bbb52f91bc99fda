import type { WorkspaceFiles } from './workspace-files.ts';
import type { Manifest, WorkspacePackage } from './workspace-packages.ts';

/**
 * Returns the documents of the root that list the packages, by path, with every package of the workspace and no other. Entries keep their order; a new package comes
 * last in the list of its layer.
 */
export function listedPackages(files: WorkspaceFiles, packages: readonly WorkspacePackage[]): Map<string, string> {
  const readme = files.read('README.md', 'utf8');
  const architecture = files.read('docs/ARCHITECTURE.md', 'utf8');
  return new Map([
    ...(readme === null ? [] : [['README.md', withPackageTables(readme, packages)] as const]),
    ...(architecture === null
      ? []
      : [['docs/ARCHITECTURE.md', withModuleTable(withLayers(architecture, packages), packages, files)] as const]),
  ]);
}

/** Headings of the tables in README.md that list several layers. */
const TABLES: Readonly<Record<string, string>> = {
  core: 'core and assembly',
  assembly: 'core and assembly',
  testkit: 'test kit and apps',
  app: 'test kit and apps',
};

/** Lists the packages and apps with the descriptions of their manifests. */
function withPackageTables(readme: string, packages: readonly WorkspacePackage[]): string {
  const published = packages.filter(({ folder }) => !folder.startsWith('tools/'));
  const rows = new Map(
    published.map(({ folder, manifest }) => [
      folder,
      `| [${folder.replace('packages/', '')}](${folder}) | ${manifest.description ?? ''} |`,
    ]),
  );
  const listed = new Set<string>();
  const lines = readme.split('\n').flatMap((line) => {
    const [, folder] = /^\| \[[^\]]+\]\(((?:packages|apps)\/[^/)]+)\) +\|/.exec(line) ?? [];
    if (folder === undefined) return [line];
    listed.add(folder);
    return rows.get(folder) ?? [];
  });
  for (const { folder, manifest } of published) {
    const layer = layerOf(manifest);
    if (!listed.has(folder)) addRow(lines, `| ${TABLES[layer] ?? layer} `, rows.get(folder)!);
  }
  return lines.join('\n');
}

/** Layers whose packages the picture of the architecture lists by name, with the start of a further line. */
const PICTURED: Readonly<Record<string, string>> = {
  subsystem: '      │         ',
  foundation: '                ',
  adapter: '                ',
};
const PICTURE_WIDTH = 165;

/** Lists the packages in the picture of the layers, which is filled like a paragraph. */
function withLayers(document: string, packages: readonly WorkspacePackage[]): string {
  let text = document;
  for (const [layer, further] of Object.entries(PICTURED)) {
    const members = packages.filter(({ manifest }) => layerOf(manifest) === layer).map(({ folder }) => nameOf(folder));
    const block = new RegExp(`^ {4}${layer} +(.*)\n((?:${further}[a-z].*\n)*)`, 'm');
    text = text.replace(block, (_, first: string, rest: string) => {
      const [names = '', remark] = first.split(/ {4,}/);
      const before = `${names}\n${rest}`.split(/[\s│]+/).filter((name) => members.includes(name));
      const all = [...before, ...members.filter((name) => !before.includes(name))];
      const [head = '', ...others] = filled(all, PICTURE_WIDTH - further.length);
      const lines = [`    ${layer.padEnd(12)}${head}${remark === undefined ? '' : `     ${remark}`}`];
      return [...lines, ...others.map((line) => further + line), ''].join('\n');
    });
  }
  return text;
}

/** Lists the packages that offer a module in the table of modules, whose rows name a file of the package or its folder. */
function withModuleTable(document: string, packages: readonly WorkspacePackage[], files: WorkspaceFiles): string {
  const linked = (line: string) => /^\| `.*\]\(\.\.\/(packages\/[^)]+)\)/.exec(line)?.[1];
  const lines = document.split('\n').filter((line) => files.exists(linked(line) ?? 'packages'));
  const paths = lines.flatMap((line) => linked(line) ?? []);
  for (const { folder } of packages) {
    const file = `${folder}/src/${nameOf(folder)}-module.ts`;
    if (!files.exists(file) || paths.some((path) => `${path}/`.startsWith(`${folder}/`))) continue;
    const name = nameOf(folder).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    addRow(lines, '| module ', `| \`${name}\` | [${nameOf(folder)}-module.ts](../${file}) |`);
  }
  return lines.join('\n');
}

/** Adds a row to the end of the table whose heading starts with a text. */
function addRow(lines: string[], heading: string, row: string): void {
  const start = lines.findIndex((line) => line.startsWith(heading));
  if (start < 0) return;
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  lines.splice(length < 0 ? lines.length : start + length, 0, row);
}

/** Joins names, two spaces apart, to lines of at most a width. */
function filled(names: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const name of names) {
    const line = lines.at(-1);
    if (line !== undefined && `${line}  ${name}`.length <= width) lines[lines.length - 1] = `${line}  ${name}`;
    else lines.push(name);
  }
  return lines;
}

function nameOf(folder: string): string {
  return folder.slice(folder.indexOf('/') + 1);
}

function layerOf({ nx }: Manifest): string {
  return nx?.tags?.find((tag) => tag.startsWith('layer:'))?.slice('layer:'.length) ?? '';
}

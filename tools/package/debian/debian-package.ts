import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { TarEntry } from '@rxlet/test-containerd/tar';
import { runCommand } from '../../publish/run-command.ts';
import { workspaceRoot } from '../../workspace/workspace-files.ts';
import { withDirectories } from '../contents/entries.ts';
import { manPages } from '../contents/man-page.ts';
import type { NodeBinary } from '../contents/node-binary.ts';
import { type BundledProgram, folderEntries, programFiles } from '../contents/program-files.ts';
import type { PackagedProgram } from '../contents/programs.ts';
import {
  changelog,
  conffiles,
  controlFile,
  copyrightFile,
  debianVersion,
  md5sums,
  type PackageFacts,
} from './control.ts';

/** Compression of a package: `xz` for releases, `gzip` where time counts. */
export type Compression = 'xz' | 'gzip';

/** Options of {@link writeDebianPackage}. */
export interface DebianPackageOptions extends Omit<PackageFacts, 'version'> {
  /** Semantic version. */
  readonly version: string;
  readonly compression: Compression;
}

const COMPRESSION_FLAGS: Readonly<Record<Compression, readonly string[]>> = { xz: ['-Zxz'], gzip: ['-Zgzip', '-z1'] };
/** xz takes a minute for a package, on a busy machine many. */
const BUILD_TIMEOUT_MS = 30 * 60_000;
const SCRIPTS = ['postinst', 'prerm', 'postrm'] as const;

/**
 * Writes the Debian package of a program into `folder`, with `dpkg-deb`. The same program and options make the same bytes.
 *
 * @returns the name of the file
 */
export async function writeDebianPackage(
  bundled: BundledProgram,
  node: NodeBinary,
  options: DebianPackageOptions,
  folder: string,
): Promise<string> {
  const { program } = bundled;
  const facts: PackageFacts = { ...options, version: debianVersion(options.version) };
  const files = withDirectories([
    ...programFiles(bundled, node, options.version),
    ...(await serviceFiles(bundled)),
    ...(await documentation(bundled, node, facts, options.version)),
  ]);
  const tree = await mkdtemp(join(tmpdir(), 'rxlet-deb-'));
  try {
    await writeTree(tree, [
      ...files,
      { type: 'directory', path: 'DEBIAN' },
      { type: 'file', path: 'DEBIAN/control', content: controlFile(program, facts, files) },
      { type: 'file', path: 'DEBIAN/md5sums', content: md5sums(files) },
      { type: 'file', path: 'DEBIAN/conffiles', content: conffiles(files) },
      ...(await Promise.all(
        SCRIPTS.map(async (name): Promise<TarEntry> => {
          const content = await readFile(join(import.meta.dirname, program.name, name));
          return { type: 'file', path: `DEBIAN/${name}`, mode: 0o755, content };
        }),
      )),
    ]);
    const name = `${program.name}_${facts.version}_${facts.architecture}.deb`;
    // The environment: dpkg-deb has no flag for the time of files.
    const environment = ['env', `SOURCE_DATE_EPOCH=${String(facts.timeSeconds)}`];
    const build = ['dpkg-deb', '--root-owner-group', ...COMPRESSION_FLAGS[options.compression], '--build'];
    await runCommand('nice', [...environment, ...build, tree, join(folder, name)], tree, BUILD_TIMEOUT_MS);
    return name;
  } finally {
    await rm(tree, { recursive: true });
  }
}

/** Returns the service, its configuration and overrides of lintian. */
async function serviceFiles({ program: { name } }: BundledProgram): Promise<TarEntry[]> {
  const places: Readonly<Record<string, string>> = {
    [`${name}.service`]: `lib/systemd/system/${name}.service`,
    [`${name}.default`]: `etc/default/${name}`,
    'config.yaml': `etc/${name}/config.yaml`,
    'lintian-overrides': `usr/share/lintian/overrides/${name}`,
  };
  const files: TarEntry[] = [];
  for (const [source, path] of Object.entries(places)) {
    const from = join(import.meta.dirname, name, source);
    if (existsSync(from)) files.push({ type: 'file', path, content: await readFile(from) });
  }
  if (name === 'rxlet') files.push({ type: 'directory', path: 'etc/kubernetes/manifests' });
  return files;
}

async function documentation(
  { program, notices }: BundledProgram,
  node: NodeBinary,
  facts: PackageFacts,
  version: string,
): Promise<TarEntry[]> {
  const documents = `usr/share/doc/${program.name}`;
  const pages = manPages(program.commands(), { source: `${program.command} ${version}`, ...facts });
  return [
    ...pages.map((page) => zipped(`usr/share/man/man1/${page.name}`, page.text)),
    ...Object.entries(program.completions()).map(([path, content]): TarEntry => ({ type: 'file', path, content })),
    { type: 'file', path: `${documents}/copyright`, content: copyrightFile(facts) },
    zipped(`${documents}/NODE-LICENSE`, node.license),
    zipped(`${documents}/THIRD-PARTY-NOTICES`, notices),
    zipped(`${documents}/changelog`, changelog(program, facts)),
    zipped(`${documents}/CHANGELOG.md`, await readFile(join(workspaceRoot, 'CHANGELOG.md'), 'utf8')),
    ...(await examples(program, documents)),
  ];
}

async function examples(program: PackagedProgram, documents: string): Promise<TarEntry[]> {
  const entries = Object.entries(program.examples).map(async ([place, folder]) => {
    const found = await folderEntries(join(workspaceRoot, program.folder), folder);
    const target = join(documents, 'examples', place);
    return found.map((entry) => ({ ...entry, path: `${target}${entry.path.slice(folder.length)}` }));
  });
  return (await Promise.all(entries)).flat();
}

function zipped(path: string, text: string): TarEntry {
  return { type: 'file', path: `${path}.gz`, content: gzipSync(text, { level: 9 }) };
}

/** Writes the files with exactly their modes, whatever the umask is. */
async function writeTree(root: string, files: readonly TarEntry[]): Promise<void> {
  await chmod(root, 0o755);
  for (const file of files) {
    const path = join(root, file.path);
    if (file.type === 'directory') {
      await mkdir(path);
      await chmod(path, file.mode ?? 0o755);
    } else if (file.type === 'file') {
      await writeFile(path, file.content);
      await chmod(path, file.mode ?? 0o644);
    } else if (file.type === 'symlink') {
      await symlink(file.target, path);
    } else {
      throw new Error(`cannot package ${file.path}: it is a hard link`);
    }
  }
}

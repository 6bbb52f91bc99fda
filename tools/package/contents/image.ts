import { createHash } from 'node:crypto';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage } from '@rxlet/test-containerd/build-image';
import type { TarEntry } from '@rxlet/test-containerd/tar';
import { runCommand } from '../../publish/run-command.ts';
import { withDirectories } from './entries.ts';
import type { NodeBinary } from './node-binary.ts';
import { type BundledProgram, programFiles } from './program-files.ts';

/** A library of this machine that Node.js loads, and the Debian package that it comes from. */
export interface SystemLibrary {
  /** Path at which Node.js looks for it. */
  readonly path: string;
  readonly content: Buffer;
  readonly package: { readonly name: string; readonly version: string; readonly copyright: string };
}

/** Registry of the images: none, because none is the project's. */
const REGISTRY = 'localhost';

/** Returns the libraries that Node.js loads, its loader included, from this machine. */
export async function systemLibraries(node: NodeBinary): Promise<readonly SystemLibrary[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rxlet-libraries-'));
  try {
    const program = join(folder, 'node');
    await writeFile(program, node.content, { mode: 0o755 });
    const listed = await runCommand('ldd', [program], folder);
    const paths = [...listed.matchAll(/(\/\S+) \(0x[0-9a-f]+\)$/gm)].map(([, path = '']) => path).sort();
    return await Promise.all(paths.map(systemLibrary));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function systemLibrary(path: string): Promise<SystemLibrary> {
  const file = await realpath(path);
  const name = await owner(file);
  const version = await runCommand('dpkg-query', ['--show', '--showformat=${Version}', name], '/');
  const copyright = await readFile(`/usr/share/doc/${name.replace(/:.*$/, '')}/copyright`, 'utf8');
  return { path, content: await readFile(file), package: { name: name.replace(/:.*$/, ''), version, copyright } };
}

/** Returns the Debian package of a file, which may be recorded under its path from before `/lib` became a link to `/usr/lib`. */
async function owner(file: string): Promise<string> {
  const candidates = [file, file.replace(/^\/usr\/lib/, '/lib')];
  for (const candidate of candidates) {
    const answer = await runCommand('dpkg-query', ['--search', candidate], '/').catch(() => undefined);
    if (answer !== undefined) return answer.slice(0, answer.indexOf(': '));
  }
  throw new Error(`cannot package ${file}: no Debian package has it`);
}

/**
 * Returns an OCI image layout with a program, Node.js and its libraries, and nothing else: no shell, and no programs for mounts. It is for agents on the embedded runtime,
 * such as virtual nodes.
 */
export function programImage(
  bundled: BundledProgram,
  node: NodeBinary,
  libraries: readonly SystemLibrary[],
  version: string,
): Buffer {
  const { program } = bundled;
  const home = `usr/lib/${program.name}`;
  // Shell scripts, in an image without a shell.
  const launchers = new Set([
    `usr/bin/${program.command}`,
    `${home}/bin/${program.command}`,
    `${home}/bin/require-node.cjs`,
  ]);
  const files = withDirectories([
    ...programFiles(bundled, node, version).filter(({ path }) => !launchers.has(path)),
    ...libraries.flatMap(({ path, content, package: { name, copyright } }): TarEntry[] => [
      { type: 'file', path: path.slice(1), mode: 0o755, content },
      { type: 'file', path: `usr/share/doc/${name}/copyright`, content: copyright },
    ]),
    { type: 'file', path: `usr/share/doc/${program.name}/NODE-LICENSE`, content: node.license },
    { type: 'file', path: `usr/share/doc/${program.name}/THIRD-PARTY-NOTICES`, content: bundled.notices },
    { type: 'file', path: 'etc/passwd', content: 'root:x:0:0:root:/root:/sbin/nologin\n' },
    { type: 'file', path: 'etc/group', content: 'root:x:0:\n' },
    { type: 'directory', path: 'dev' },
    { type: 'directory', path: 'proc' },
    { type: 'directory', path: 'sys' },
    { type: 'directory', path: 'root', mode: 0o700 },
    { type: 'directory', path: 'tmp', mode: 0o1777 },
    // For --root-dir: a volume of Kubernetes may be written by everybody, which the agent rejects.
    { type: 'directory', path: `var/lib/${program.name}`, mode: 0o700 },
  ]);
  return buildImage({
    references: [version, 'latest'].map((tag) => `${REGISTRY}/${program.name}:${tag}`),
    files,
    defaults: { entrypoint: [`/${home}/bin/node`, ...program.nodeFlags, `/${home}/dist/main.cjs`] },
  });
}

/** Returns the SHA-256 of a file's content in hexadecimal digits. */
export function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

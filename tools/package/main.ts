import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { errorMessage } from '@rxlet/component-base';
import { runCommand } from '../publish/run-command.ts';
import { workspaceRoot } from '../workspace/workspace-files.ts';
import { readManifest } from '../workspace/workspace-packages.ts';
import { billOfMaterials } from './contents/bill-of-materials.ts';
import { programImage, sha256, systemLibraries } from './contents/image.ts';
import { type Architecture, machineArchitecture, nodeBinary } from './contents/node-binary.ts';
import { bundle } from './contents/program-files.ts';
import { AGENT, DOCKER_SHIM, FLEET } from './contents/programs.ts';
import { writeDebianPackage } from './debian/debian-package.ts';

const USAGE = `Usage: npm run package -- [--architecture amd64|arm64] [--version VERSION] [--compression xz|gzip] [--output FOLDER]

Makes the Debian packages rxlet and rxlet-docker-shim, OCI images of the agent and of the fleet (for this machine's architecture), their bills of materials
(CycloneDX) and SHA256SUMS. The same commit makes the same bytes; an image also contains libraries of this machine.

  --architecture NAME  amd64 or arm64 (default: this machine's)
  --version VERSION    another version than that of the sources
  --compression NAME   xz, or gzip where time counts (default: xz)
  --output FOLDER      emptied before (default: dist/packages)

SOURCE_DATE_EPOCH is the time of all files (default: that of the commit). DEBFULLNAME and DEBEMAIL are the maintainer.
`;

interface Options {
  readonly architecture: Architecture;
  readonly version: string;
  readonly compression: 'xz' | 'gzip';
  readonly output: string;
}

async function makePackages({ architecture, version, compression, output }: Options): Promise<void> {
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  const node = await nodeBinary(architecture);
  const timeSeconds = await sourceTime();
  const write = async (name: string, content: string | Uint8Array): Promise<void> => {
    await writeFile(join(output, name), content);
  };
  for (const program of [AGENT, DOCKER_SHIM, FLEET]) {
    const bundled = await bundle(program);
    const facts = { version, timeSeconds };
    if (program.forms.includes('deb')) {
      const options = { ...facts, architecture, compression, maintainer: maintainer() };
      const deb = await writeDebianPackage(bundled, node, options, output);
      await write(
        deb.replace(/deb$/, 'cdx.json'),
        await billOfMaterials(bundled, node, { ...facts, systemLibraries: [] }),
      );
    }
    if (!program.forms.includes('image') || architecture !== machineArchitecture()) continue;
    const libraries = await systemLibraries(node);
    const image = `${program.name}-image_${version}_${architecture}`;
    await write(`${image}.oci.tar`, programImage(bundled, node, libraries, version));
    await write(`${image}.cdx.json`, await billOfMaterials(bundled, node, { ...facts, systemLibraries: libraries }));
  }
  const names = (await readdir(output)).sort();
  const sums = names.map(async (name) => `${sha256(await readFile(join(output, name)))}  ${name}\n`);
  await write('SHA256SUMS', (await Promise.all(sums)).join(''));
  for (const name of [...names, 'SHA256SUMS']) process.stdout.write(`${join(output, name)}\n`);
}

/** Time of the sources, in seconds since the epoch. */
async function sourceTime(): Promise<number> {
  const given = process.env['SOURCE_DATE_EPOCH'];
  const text = given ?? (await runCommand('git', ['log', '-1', '--format=%ct'], workspaceRoot)).trim();
  if (!/^\d+$/.test(text)) throw new Error(`cannot use SOURCE_DATE_EPOCH "${text}": it is no number of seconds`);
  return Number(text);
}

function maintainer(): string {
  const { DEBFULLNAME: name = 'The rxlet authors', DEBEMAIL: address = 'maintainers@rxlet.invalid' } = process.env;
  return `${name} <${address}>`;
}

function oneOf<T extends string>(flag: string, value: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new TypeError(`--${flag} is "${value}"; choose ${choices.join(' or ')}`);
  return found;
}

/** @throws TypeError for a wrong command line */
function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      architecture: { type: 'string' },
      version: { type: 'string' },
      compression: { type: 'string', default: 'xz' },
      output: { type: 'string', default: join(workspaceRoot, 'dist/packages') },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  const version = values.version ?? readManifest(join(workspaceRoot, AGENT.folder)).version;
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) throw new TypeError(`--version is "${version}", no semantic version`);
  return {
    architecture:
      values.architecture === undefined
        ? machineArchitecture()
        : oneOf('architecture', values.architecture, ['amd64', 'arm64']),
    version,
    compression: oneOf('compression', values.compression, ['xz', 'gzip']),
    output: resolve(values.output),
  };
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) process.stdout.write(USAGE);
  else await makePackages(options);
} catch (error) {
  const isUsage = error instanceof TypeError;
  process.stderr.write(`${errorMessage(error)}\n${isUsage ? `\n${USAGE}` : ''}`);
  process.exitCode = isUsage ? 2 : 1;
}

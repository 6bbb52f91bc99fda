import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { type Layer, LAYERS, packageFiles } from './package-files.ts';
import { outOfSync } from './out-of-sync.ts';
import { filesOnDisk, workspaceRoot } from './workspace-files.ts';
import { readWorkspacePackages } from './workspace-packages.ts';

const USAGE = `usage: npm run new-package -- NAME LAYER "DESCRIPTION"
  NAME         folder below packages/, e.g. node-status
  LAYER        ${LAYERS.join(', ')}
  DESCRIPTION  what the package does, in one sentence
`;

const [name = '', layer = '', description = ''] = process.argv.slice(2);
const folder = join(workspaceRoot, 'packages', name);
if (!/^[a-z]+(-[a-z\d]+)*$/.test(name) || !LAYERS.includes(layer as Layer) || description === '') {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else if (existsSync(folder)) {
  process.stderr.write(`cannot create ${folder}: it exists\n`);
  process.exitCode = 1;
} else {
  const [{ manifest } = { manifest: { version: '0.1.0' } }] = readWorkspacePackages();
  const files = packageFiles({ name, layer: layer as Layer, description, version: manifest.version });
  for (const [path, content] of files) await write(join(folder, path), content);
  for (const [path, content] of await outOfSync(filesOnDisk)) await write(join(workspaceRoot, path), content);
  process.stdout.write(`created packages/${name}; now run "npm install", which links it\n`);
}

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await format(content, { ...(await resolveConfig(path)), filepath: path }));
}

import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildPage } from './build-page.ts';
import { bundleApp } from './bundle-app.ts';

import { workspaceRoot } from '../workspace/workspace-files.ts';
import { isBundled, readManifest } from '../workspace/workspace-packages.ts';

/** Interface definitions that a package ships: target in the package by source in the workspace. */
const SHIPPED_FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '@rxlet/fake-runtime': { 'proto/rxlet/fake/v1/control.proto': 'proto/rxlet/fake/v1/control.proto' },
};

/** Makes the package in the working directory ready to be packed: a clean build, the license, and files that live elsewhere in the workspace. */
const folder = process.cwd();
const manifest = readManifest(folder);
// From nothing, so that outputs of deleted sources are not published.
rmSync(join(folder, 'dist'), { recursive: true, force: true });
if (isBundled(manifest)) {
  await bundleApp(folder);
} else {
  const tsc = join(workspaceRoot, 'node_modules/@typescript/native/bin/tsc');
  execFileSync(process.execPath, [tsc, '--build', join(folder, 'tsconfig.build.json')], { stdio: 'inherit' });
}
if (existsSync(join(folder, 'page'))) buildPage(folder);
copyFileSync(join(workspaceRoot, 'LICENSE'), join(folder, 'LICENSE'));
for (const [target, source] of Object.entries(SHIPPED_FILES[manifest.name] ?? {})) {
  cpSync(join(workspaceRoot, source), join(folder, target));
}
process.stderr.write(`${basename(folder)}: ready to be packed\n`);

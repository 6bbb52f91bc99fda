// Packs every package as it would be published, to try them in another project: `npm run pack [-- FOLDER]`. Prints what the project's package.json needs.
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { packTarball } from './pack.ts';
import { trialFields } from './trial-fields.ts';
import { workspaceRoot } from '../workspace/workspace-files.ts';
import { readWorkspacePackages } from '../workspace/workspace-packages.ts';

const [folder = join(workspaceRoot, 'dist')] = process.argv.slice(2);
const destination = resolve(folder);
await mkdir(destination, { recursive: true });
const tarballs: Record<string, string> = {};
for (const workspacePackage of readWorkspacePackages()) {
  const { name, private: isPrivate } = workspacePackage.manifest;
  if (isPrivate === true) continue;
  tarballs[name] = await packTarball(workspacePackage, destination);
  process.stderr.write(`${tarballs[name]}\n`);
}
process.stderr.write(
  '\nMerge these fields into the package.json of your project, keep the dependencies that you use, and run "npm install":\n\n',
);
process.stdout.write(`${JSON.stringify(trialFields(tarballs), null, 2)}\n`);

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-files.ts';

/** Builds the page in the browser of a package: `<folder>/page` into `<folder>/static`. */
export function buildPage(folder: string): void {
  const vite = join(workspaceRoot, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', '--config', join(folder, 'page/vite.config.ts')];
  execFileSync(process.execPath, args, { cwd: workspaceRoot, stdio: 'inherit' });
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspace } from './child-process.ts';

const AGENT = join(workspace, 'apps/agent');

/** The flags that the command `rxlet` gives to Node.js: measured processes must have them too. */
export function launcherFlags(): string[] {
  const flag = /^heap='(.+)'$/m.exec(readFileSync(join(AGENT, 'bin/rxlet'), 'utf8'))?.[1];
  if (flag === undefined) throw new Error('apps/agent/bin/rxlet has no line heap=');
  return [flag];
}

/** A way to run `rxlet`. */
export interface RxletVariant {
  readonly name: 'source' | 'dist';
  /** The program, then what comes before the flags of rxlet. */
  readonly command: readonly string[];
}

/** The command of the checkout, and the built command as it is installed, if `npm run build` has made it. */
export function rxletVariants(): RxletVariant[] {
  const source: RxletVariant = { name: 'source', command: [join(workspace, 'node_modules/.bin/rxlet')] };
  const main = join(AGENT, 'dist/main.cjs');
  if (!existsSync(main)) return [source];
  return [source, { name: 'dist', command: [process.execPath, ...launcherFlags(), main] }];
}

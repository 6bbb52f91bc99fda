import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '../main.ts');
const TIMEOUT_MS = 900_000;

/** Settings of the process that builds. */
export interface BuildEnvironment extends NodeJS.ProcessEnv {
  /** Mask of file modes, in octal digits. Default: 022. */
  readonly UMASK?: string;
}

/** Makes the packages of the workspace under a version in `output`, as `npm run package` does, with the faster compression. */
export function buildPackages(output: string, version: string, environment: BuildEnvironment = {}): void {
  const command = [process.execPath, '--conditions=@rxlet/source', MAIN];
  const flags = ['--compression', 'gzip', '--version', version, '--output', output];
  execFileSync('nice', ['sh', '-c', `umask ${environment.UMASK ?? '022'}; exec "$@"`, 'sh', ...command, ...flags], {
    env: { ...process.env, ...environment },
    timeout: TIMEOUT_MS,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Debian's name of this machine's architecture. */
export function debianArchitecture(): string {
  return execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
}

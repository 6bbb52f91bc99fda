import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '@rxlet/component-base';

/** The newer containerd, or one line why it cannot be had here. */
export type NewerContainerd = { readonly folder: string } | { readonly unavailable: string };

/** Suite whose containerd is newer than that of the machine's release. */
const SUITE = 'testing';
const MIRROR = 'http://deb.debian.org/debian';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const TIMEOUT_MS = 120_000;

/**
 * Downloads containerd's package of Debian's testing suite with apt, which verifies it, and unpacks it below `cache`. apt's lists, state and cache are there as well, so
 * that nothing is installed and the machine's own lists stay as they are. A folder that is there already is used without a network.
 */
export function unpackNewerContainerd(cache: string): NewerContainerd {
  const folder = join(cache, 'unpacked');
  try {
    if (!existsSync(folder)) download(cache, folder);
    // It may need a newer C library.
    execFileSync(join(folder, 'usr/bin/containerd'), ['--version'], { timeout: TIMEOUT_MS, stdio: 'pipe' });
    return { folder };
  } catch (error) {
    // The command, and the last of its errors.
    const lines = errorMessage(error).trim().split('\n');
    return { unavailable: `no newer containerd: ${[...new Set([lines[0], lines.at(-1)])].join('; ')}` };
  }
}

function download(cache: string, folder: string): void {
  if (!existsSync(KEYRING)) throw new Error(`not found: ${KEYRING}`);
  const apt = join(cache, 'apt');
  rmSync(apt, { recursive: true, force: true });
  for (const name of ['state', 'lists/partial', 'cache/archives/partial'])
    mkdirSync(join(apt, name), { recursive: true });
  const [sources, configuration] = [join(apt, 'sources.list'), join(apt, 'apt.conf')];
  writeFileSync(sources, `deb [signed-by=${KEYRING}] ${MIRROR} ${SUITE} main\n`);
  const settings = {
    'Dir::State': join(apt, 'state'),
    'Dir::State::Lists': join(apt, 'lists'),
    'Dir::Cache': join(apt, 'cache'),
    'Dir::Etc::SourceList': sources,
    'Dir::Etc::SourceParts': '-',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '1',
    'APT::Sandbox::User': 'root',
    'APT::Get::AllowUnauthenticated': 'false',
  };
  writeFileSync(
    configuration,
    Object.entries(settings)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(''),
  );
  const run = (program: string, ...args: readonly string[]): void => {
    const env = { ...process.env, APT_CONFIG: configuration };
    execFileSync(program, args, { cwd: apt, env, timeout: TIMEOUT_MS, stdio: 'pipe' });
  };
  run('apt-get', 'update', '--error-on=any', '-q');
  run('apt-get', 'download', '-q', 'containerd');
  const [archive] = globSync('containerd_*.deb', { cwd: apt });
  if (archive === undefined) throw new Error('apt-get has downloaded no package');
  const unpacked = join(apt, 'unpacked');
  run('dpkg', '-x', archive, unpacked);
  // In one step, so that an interrupted run leaves no half of it.
  renameSync(unpacked, folder);
  rmSync(apt, { recursive: true });
}

import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sendBySystemdNotify } from './service-notifier.ts';

describe('sendBySystemdNotify', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-'));
    vi.stubEnv('PATH', folder);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });
  const install = async (script: string): Promise<void> => {
    const path = join(folder, 'systemd-notify');
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
  };
  const send = (signal: AbortSignal = new AbortController().signal): Promise<void> =>
    sendBySystemdNotify('READY=1', signal);

  it('runs systemd-notify with the state', async () => {
    await install(`echo "$*" > ${folder}/sent`);
    await send();
    expect(await readFile(join(folder, 'sent'), 'utf8')).toBe('READY=1\n');
  });

  it('reports what systemd-notify reports', async () => {
    await install('echo "Failed to notify init system: Connection refused" >&2; exit 1');
    await expect(send()).rejects.toThrow('Failed to notify init system: Connection refused');
  });

  it('reports that systemd-notify is missing', async () => {
    await expect(send()).rejects.toThrow('systemd-notify is not installed');
  });

  it('kills systemd-notify when the signal aborts', async () => {
    const pidFile = join(folder, 'pid');
    await install(`trap "" TERM; echo $$ > ${pidFile}; while :; do :; done`);
    const controller = new AbortController();
    const sent = send(controller.signal);
    const pid = await vi.waitUntil(async () => Number(await readFile(pidFile, 'utf8').catch(() => '')), 10_000);
    controller.abort(new Error('too late'));
    await expect(sent).rejects.toThrow();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

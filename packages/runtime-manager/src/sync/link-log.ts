import { errorMessage } from '@rxlet/component-base';
import type { Context } from '../context.ts';
import { containerLogPath, legacyLogLinkName } from '../files/pod-paths.ts';
import type { StartContainerRequest } from './start-container-request.ts';

/** Creates the link to a container's log for log shippers. Best effort: a failure is logged. */
export async function linkLog(
  { files, containerLogsDirectory, logger }: Pick<Context, 'files' | 'containerLogsDirectory' | 'logger'>,
  { pod, container, sandbox }: StartContainerRequest,
  restartCount: number,
  containerId: string,
): Promise<void> {
  if (containerLogsDirectory === undefined) return;
  const target = `${sandbox.config.logDirectory}/${containerLogPath(container.name, restartCount)}`;
  const { name = '', namespace = '' } = pod.metadata ?? {};
  const link = legacyLogLinkName({ name, namespace }, container.name, containerId);
  try {
    if (!(await files.exists(target))) return;
    await files.makeDirectory(containerLogsDirectory, 0o755);
    await files.symlink(target, `${containerLogsDirectory}/${link}`);
  } catch (error) {
    logger.warn('cannot link the log of a container', { target, link, error: errorMessage(error) });
  }
}

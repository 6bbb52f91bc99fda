import { errorMessage } from '@rxlet/component-base';
import type { Context } from '../context.ts';
import { containerLogPath, legacyLogLinkName } from '../files/pod-paths.ts';
import type { StartContainerRequest } from './start-container.ts';

/** Makes the link by which log shippers find a container's log. Without it the container is none the worse, so failing is only logged. */
export async function linkLog(
  { files, containerLogsDirectory, logger }: Context,
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
    await files.link(target, `${containerLogsDirectory}/${link}`);
  } catch (error) {
    logger.warn('cannot link the log of a container', { target, link, error: errorMessage(error) });
  }
}

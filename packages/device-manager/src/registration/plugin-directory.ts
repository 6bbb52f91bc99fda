import { errorMessage, type Logger } from '@rxlet/component-base';
import type { NodeFiles } from '@rxlet/node-files';

/** Ports of {@link preparePluginDirectory}. */
export interface PluginDirectoryPorts {
  readonly files: Pick<NodeFiles, 'makeDirectory' | 'list' | 'stat' | 'removeFile'>;
  readonly logger: Logger;
}

const DIRECTORY_MODE = 0o750;

/**
 * Creates the directory of device plugins, and removes the sockets of earlier plugins: those that still run notice it, and register again. The agent's own socket
 * stays, because another process may serve it.
 */
export async function preparePluginDirectory(
  { files, logger }: PluginDirectoryPorts,
  directory: string,
  ownSocket: string,
): Promise<void> {
  await files.makeDirectory(directory, DIRECTORY_MODE);
  for (const name of await files.list(directory)) {
    const path = `${directory}/${name}`;
    if (name === ownSocket) continue;
    try {
      if ((await files.stat(path))?.kind === 'socket') await files.removeFile(path);
    } catch (error) {
      logger.error('cannot remove the socket of a device plugin', { path, error: errorMessage(error) });
    }
  }
}

import { type Clock, type Logger, systemRandom } from '@rxlet/component-base';
import { createPageServer, openPageFiles, PAGE_FOLDER, type PageServer } from '@rxlet/node-ui';

/**
 * Creates the server of the page that comes with the program.
 *
 * @throws PageNotBuiltError
 */
export async function createPage(
  ports: { readonly clock: Clock; readonly logger?: Logger },
  options: { readonly socketPath: string; readonly port?: number; readonly allowsExec?: boolean },
): Promise<PageServer> {
  return createPageServer({ ...ports, files: await openPageFiles(PAGE_FOLDER), random: systemRandom }, options);
}

import { resolve } from 'node:path';
import {
  KubeletConfigurationError,
  type ModuleConfiguration,
  type NodeConfiguration,
} from '@rxlet/agent-api/configuration';
import { errorMessage } from '@rxlet/component-base';
import {
  type CredentialProvidersOptions,
  imageCredentials,
  type ImageCredentialsOptions,
} from './image-credentials-module.ts';
import { createNodeProviderProcesses } from './node-provider-processes.ts';
import { readCredentialProviders } from './read-credential-providers.ts';

const CONFIG_FLAG = 'image-credential-provider-config';
const PROGRAMS_FLAG = 'image-credential-provider-bin-dir';

/** Configuration of the module `imageCredentials`. */
export const imageCredentialsConfiguration: ModuleConfiguration<ImageCredentialsOptions> = {
  name: 'image-credentials',
  flags: [CONFIG_FLAG, PROGRAMS_FLAG],
  help: [
    {
      flag: CONFIG_FLAG,
      argument: 'path',
      text: 'CredentialProviderConfig, or a folder of them, for registries that need passwords',
    },
    { flag: PROGRAMS_FLAG, argument: 'folder', text: 'the programs that it names' },
  ],
  defaults: {},
  async options(node) {
    const { workingDirectory, homeDirectory } = node;
    return { credentialProviders: await credentialProviders(node), workingDirectory, homeDirectory };
  },
  module: imageCredentials,
};

/** Reads the configuration of the credential providers; `undefined` without the flags. */
async function credentialProviders({
  flags,
  hostFiles: files,
}: NodeConfiguration): Promise<CredentialProvidersOptions | undefined> {
  const [config, programs] = [CONFIG_FLAG, PROGRAMS_FLAG].map((flag) => flags.get(flag) as string | undefined);
  if (config === undefined && programs === undefined) return undefined;
  if (config === undefined || programs === undefined)
    throw new KubeletConfigurationError('flags', [`--${CONFIG_FLAG} and --${PROGRAMS_FLAG} need each other`]);
  const configPath = resolve(config);
  try {
    const processes = createNodeProviderProcesses(resolve(programs));
    return await readCredentialProviders({ files, processes }, configPath);
  } catch (error) {
    const problem = `--${CONFIG_FLAG} "${configPath}": ${errorMessage(error)}`;
    throw new KubeletConfigurationError('start', [problem], { cause: error });
  }
}

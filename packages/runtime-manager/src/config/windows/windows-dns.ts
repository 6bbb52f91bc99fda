import { parseResolvConf, type ResolvConf } from '../resolv-conf.ts';

/** Value of the field `resolvConf` for the DNS settings of the node itself. */
const HOST = 'Host';

/** DNS settings of a Windows node. */
export interface WindowsDnsSettings {
  /** Addresses of the name servers, from the network parameters of the system. */
  readonly servers: readonly string[];
  /** Value `SearchList` of the registry for the whole node: domains with commas between them. */
  readonly searchList: string;
  /** Likewise of each network interface. */
  readonly interfaceSearchLists: readonly string[];
}

/**
 * Returns the DNS settings for the pods of a Windows node; `undefined` without any.
 *
 * @param setting field `resolvConf` of KubeletConfiguration: empty, `Host`, or the path of a resolv.conf
 * @param file content of the regular file with the path of the setting; `undefined` when there is none
 * @throws Error for any other setting, and for a file that cannot be parsed
 */
export function windowsResolvConf(
  setting: string,
  file: string | undefined,
  { servers, searchList, interfaceSearchLists }: WindowsDnsSettings,
): ResolvConf | undefined {
  if (setting === '') return undefined;
  if (file !== undefined) return parseResolvConf(file);
  if (setting !== HOST) {
    const expected = `Expected "", "${HOST}", or a path to an existing resolv.conf file.`;
    throw new Error(`Unexpected resolver config value: "${setting}". ${expected}`);
  }
  const domains = [searchList, ...interfaceSearchLists].flatMap((list) => list.split(','));
  return { nameservers: servers, searches: [...new Set(domains.filter((domain) => domain !== ''))], options: [] };
}

import { dirname, isAbsolute, join, resolve } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import { parse } from 'yaml';
import type { CredentialSource, ExecPlugin, Impersonation, KubeEndpoint } from './kube-endpoint.ts';
import { KubeconfigError } from './kubeconfig-error.ts';

type Fields = Readonly<Record<string, unknown>>;

const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/**
 * Reads the endpoint of the current context from a kubeconfig file. Relative paths are relative to its folder.
 *
 * @param path the file, for messages and relative paths
 * @throws KubeconfigError when it is not valid, or uses something that this client does not have
 */
export function parseKubeconfig(text: string, path: string, contextName?: string): KubeEndpoint {
  const fail = (message: string): never => {
    throw new KubeconfigError(`cannot use the kubeconfig ${path}: ${message}`);
  };
  const config = parseYaml(text, fail);
  const name = contextName ?? stringOf(config, 'current-context', fail) ?? '';
  // With one cluster and one user, client-go needs a context all the same.
  if (name === '') fail('it has no current-context');
  const context = entryOf(config, 'contexts', 'context', name, fail);
  const clusterName = stringOf(context, 'cluster', fail) ?? '';
  const cluster = entryOf(config, 'clusters', 'cluster', clusterName, fail);
  const userName = stringOf(context, 'user', fail) ?? '';
  const user = userName === '' ? {} : entryOf(config, 'users', 'user', userName, fail);

  const folder = dirname(resolve(path));
  const sourceOf = (fields: Fields, key: string): CredentialSource | undefined => {
    // Inline data wins over a file, as in client-go.
    const data = stringOf(fields, `${key}-data`, fail);
    if (data) return { pem: decodeBase64(data, `${key}-data`, fail) };
    const file = stringOf(fields, key, fail);
    return file ? { file: isAbsolute(file) ? file : join(folder, file) } : undefined;
  };

  const server = serverOf(stringOf(cluster, 'server', fail), clusterName, fail);
  const ca = sourceOf(cluster, 'certificate-authority');
  const isInsecure = cluster['insecure-skip-tls-verify'] === true;
  if (isInsecure && ca !== undefined) fail('a root certificates file must not be given with insecure-skip-tls-verify');
  const certificate = sourceOf(user, 'client-certificate');
  const key = sourceOf(user, 'client-key');
  if ((certificate === undefined) !== (key === undefined)) {
    fail(`user "${userName}" has a client certificate without a key, or a key without a certificate`);
  }
  if (user['auth-provider'] !== undefined) {
    fail(`user "${userName}" uses an auth-provider, which Kubernetes 1.26 removed; use exec`);
  }
  const tokenFile = stringOf(user, 'tokenFile', fail);
  const [username, password] = [stringOf(user, 'username', fail), stringOf(user, 'password', fail)];
  return {
    server,
    ca,
    isInsecure,
    tlsServerName: stringOf(cluster, 'tls-server-name', fail) || undefined,
    proxyUrl: proxyOf(stringOf(cluster, 'proxy-url', fail), fail),
    isCompressionDisabled: cluster['disable-compression'] === true,
    clientCertificate: certificate && key && { certificate, key },
    token: stringOf(user, 'token', fail) || undefined,
    tokenFile: tokenFile ? (isAbsolute(tokenFile) ? tokenFile : join(folder, tokenFile)) : undefined,
    basic: username ? { username, password: password ?? '' } : undefined,
    exec: execOf(user['exec'], folder, { cluster, server, ca }, fail),
    impersonate: impersonationOf(user, fail),
  };
}

function parseYaml(text: string, fail: (message: string) => never): Fields {
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 100 });
  } catch (error) {
    // The text may have secrets; the message of the parser quotes it after its first line.
    return fail(errorMessage(error).split('\n')[0]!);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail('it is no object');
  const { kind } = value as { kind?: unknown };
  if (kind !== undefined && kind !== 'Config') fail(`its kind is ${JSON.stringify(kind)}, not "Config"`);
  return value as Fields;
}

/** Returns the member `member` of the entry with that name in a list. */
function entryOf(config: Fields, list: string, member: string, name: string, fail: (message: string) => never): Fields {
  const entries = config[list] ?? [];
  if (!Array.isArray(entries)) return fail(`${list} is no list`);
  const entry = (entries as (Fields | null)[]).find((each) => each?.['name'] === name)?.[member];
  if (entry === null || entry === undefined) return fail(`${list} has no entry "${name}"`);
  if (typeof entry !== 'object' || Array.isArray(entry)) return fail(`${list} "${name}" is no object`);
  return entry as Fields;
}

function stringOf(fields: Fields, key: string, fail: (message: string) => never): string | undefined {
  const value = fields[key];
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : fail(`${key} is no string`);
}

function listOf(fields: Fields, key: string, fail: (message: string) => never): readonly unknown[] {
  const value = fields[key] ?? [];
  return Array.isArray(value) ? value : fail(`${key} is no list`);
}

/** Returns name and value of a variable. */
function variableOf(given: unknown, fail: (message: string) => never): [string, string] {
  const { name, value } = (given ?? {}) as { readonly name?: unknown; readonly value?: string | number | null };
  return typeof name === 'string' ? [name, String(value ?? '')] : fail('env is no list of names and values');
}

function serverOf(server: string | undefined, cluster: string, fail: (message: string) => never): string {
  if (!server) return fail(`cluster "${cluster}" has no server`);
  // Like client-go: a host without a scheme is reached by HTTP.
  const url = URL.parse(server.includes('://') ? server : `http://${server}`);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return fail(`server "${server}" is no http or https URL`);
  return url.href.replace(/\/$/, '');
}

function proxyOf(proxy: string | undefined, fail: (message: string) => never): string | undefined {
  if (!proxy) return undefined;
  const protocol = URL.parse(proxy)?.protocol;
  if (protocol !== undefined && ['http:', 'https:', 'socks5:'].includes(protocol)) return proxy;
  return fail('proxy-url is no http, https or socks5 URL');
}

function decodeBase64(data: string, key: string, fail: (message: string) => never): string {
  const compact = data.replace(/\s/g, '');
  return /^[A-Za-z0-9+/]*={0,2}$/.test(compact)
    ? Buffer.from(compact, 'base64').toString()
    : fail(`${key} is no base64`);
}

function execOf(
  value: unknown,
  folder: string,
  {
    cluster,
    server,
    ca,
  }: { readonly cluster: Fields; readonly server: string; readonly ca: CredentialSource | undefined },
  fail: (message: string) => never,
): ExecPlugin | undefined {
  if (value === undefined || value === null) return undefined;
  const fields = value as Fields;
  const command = stringOf(fields, 'command', fail) || fail('exec has no command');
  const apiVersion = stringOf(fields, 'apiVersion', fail) ?? '';
  if (!EXEC_VERSIONS.includes(apiVersion))
    fail(`exec has the apiVersion "${apiVersion}"; use ${EXEC_VERSIONS.join(' or ')}`);
  if (fields['interactiveMode'] === 'Always') fail('exec asks for a terminal (interactiveMode: Always)');
  return {
    apiVersion,
    // A command with a path is relative to the file; a bare name is searched in PATH.
    command: command.includes('/') && !isAbsolute(command) ? join(folder, command) : command,
    args: listOf(fields, 'args', fail).map(String),
    env: Object.fromEntries(listOf(fields, 'env', fail).map((each) => variableOf(each, fail))),
    installHint: stringOf(fields, 'installHint', fail),
    cluster:
      fields['provideClusterInfo'] === true
        ? {
            server,
            ...(cluster['tls-server-name'] !== undefined && { 'tls-server-name': cluster['tls-server-name'] }),
            ...(cluster['insecure-skip-tls-verify'] === true && { 'insecure-skip-tls-verify': true }),
            ...(ca !== undefined &&
              'pem' in ca && { 'certificate-authority-data': Buffer.from(ca.pem).toString('base64') }),
            ...(cluster['proxy-url'] !== undefined && { 'proxy-url': cluster['proxy-url'] }),
          }
        : undefined,
  };
}

function impersonationOf(user: Fields, fail: (message: string) => never): Impersonation | undefined {
  const name = stringOf(user, 'as', fail);
  const groups = listOf(user, 'as-groups', fail).map(String);
  const extra = (user['as-user-extra'] ?? {}) as Readonly<Record<string, readonly string[]>>;
  if (!Object.values(extra).every(Array.isArray)) fail('as-user-extra has a value that is no list');
  const uid = stringOf(user, 'as-uid', fail);
  if (!name) return groups.length === 0 && uid === undefined ? undefined : fail('as-groups and as-uid need as');
  return { user: name, uid, groups, extra };
}

/** The body of an insert, whose shape has been checked. */
export interface InstanceBody {
  readonly name?: string;
  readonly description?: string;
  readonly machineType?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly metadata?: { readonly items?: readonly { readonly key?: string; readonly value?: string }[] };
  readonly tags?: { readonly items?: readonly string[] };
  readonly disks?: readonly DiskBody[];
  readonly networkInterfaces?: readonly NetworkInterfaceBody[];
  readonly serviceAccounts?: readonly { readonly email?: string; readonly scopes?: readonly string[] }[];
  readonly scheduling?: SchedulingBody;
  readonly deletionProtection?: boolean;
}

export interface DiskBody {
  readonly boot?: boolean;
  readonly autoDelete?: boolean;
  readonly deviceName?: string;
  readonly initializeParams?: {
    readonly diskName?: string;
    readonly sourceImage?: string;
    readonly diskSizeGb?: string | number;
    readonly diskType?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

export interface NetworkInterfaceBody {
  readonly network?: string;
  readonly subnetwork?: string;
  readonly accessConfigs?: readonly { readonly type?: string; readonly name?: string }[];
}

export interface SchedulingBody {
  readonly automaticRestart?: boolean;
  readonly onHostMaintenance?: string;
  readonly provisioningModel?: string;
  readonly preemptible?: boolean;
  readonly instanceTerminationAction?: string;
  readonly terminationTime?: string;
  readonly maxRunDuration?: { readonly seconds?: string | number };
}

/**
 * A template's instance with what a request sets in its place: each field whole, but of `scheduling` each member.
 */
export function overlay(template: InstanceBody, body: InstanceBody): InstanceBody {
  const scheduling = { ...template.scheduling, ...body.scheduling };
  return { ...template, ...body, ...(Object.keys(scheduling).length > 0 && { scheduling }) };
}

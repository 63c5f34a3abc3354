/* SPDX-License-Identifier: Apache-2.0 */
/* Every sentence of the console, in one file that can be translated. {name} is filled in. */
const english = {
  "app.name": "Reeve",
  "app.skip": "Skip to the content",
  "app.live": "Live",
  "app.notLive": "Not live: what you see may be old. Trying again…",
  "app.paused": "Paused: nobody was here for ten minutes.",
  "app.search": "Search or do something…",
  "app.account": "Account",
  "app.signOut": "Sign out",
  "app.theme": "Light or dark",
  "app.menu": "Menu",

  "nav.clusters": "Clusters",
  "nav.now": "What is wrong now",
  "nav.activity": "What changed",
  "nav.access": "Database access",
  "nav.people": "People and keys",
  "nav.explorer": "All operations",
  "nav.project": "Project",
  "nav.organization": "Organization",
  "nav.all": "Everything",
  "nav.projects": "Projects",
  "nav.operations": "Operations",
  "nav.limits": "Limits",
  "nav.teams": "Teams",
  "nav.invoices": "Invoices",

  "state.loading": "Loading…",
  "state.retry": "Try again",
  "state.request": "Request {id}",
  "state.missing": "There is nothing at this address.",
  "state.missingNext": "Go to the beginning",

  "may.needs": "Needs {roles} here",
  "may.list": "Seeing this needs {roles}. Whoever owns the organization can give it to you.",

  "signIn.title": "Sign in",
  "signIn.passkey": "Sign in with a passkey",
  "signIn.password": "Sign in with a password",
  "signIn.username": "User name",
  "signIn.address": "Your e-mail address at work",
  "signIn.secret": "Password",
  "signIn.noPasskeys": "Passkeys need a name with a certificate; at an address of numbers a password does it.",
  "signIn.provider": "Continue with your organization's sign-in",
  "signIn.providers": "Your address can sign in at more than one place. Which one?",
  "signIn.help": "No account here yet? Ask whoever runs this service for an invitation.",

  "enrol.title": "How you will sign in",
  "enrol.text": "A passkey is a key that stays on your device. You unlock it with your finger, your face or a code; nothing of it can be stolen from us.",
  "enrol.name": "What you call it",
  "enrol.nameHint": "For example the device that it is on.",
  "enrol.make": "Make a passkey",
  "enrol.recovers": "What you signed in with before, and wherever you are signed in, ends when you go on.",
  "enrol.orPassword": "Or choose a password",
  "enrol.passwordHint": "At least twelve characters. A few words that nobody would guess are good.",
  "enrol.usePassword": "Use this password",
  "confirm.title": "Your password once more",
  "confirm.text": "This cannot be undone, or decides who gets in.",
  "confirm.go": "Go on",
  "confirm.provider": "Confirm with your organization's sign-in",
  "confirm.providerText": "It opens in another tab and asks you once more. Come back here then: this goes on by itself.",

  "provider.title": "Your organization's sign-in",
  "provider.denied": "Your organization's sign-in did not let you in. Ask its administrators, or sign in with another account.",
  "provider.nothing": "Your organization's sign-in sent you back with nothing to go on with. Try once more; if it goes on, tell its administrators.",
  "provider.confirmed": "You have confirmed. You can close this tab and go on in the other one.",
  "provider.again": "Begin again",

  "palette.title": "Search and commands",
  "palette.hint": "↑↓ choose · Enter opens · Esc closes",
  "palette.none": "Nothing is called so.",
  "palette.operation": "operation",
  "palette.place": "go to",
  "palette.cluster": "cluster",

  "home.title": "Projects",
  "home.empty": "You have no project yet.",
  "home.create": "Create a project",
  "home.created": "Created",
  "home.organization": "Organization",
  "home.clusters": "Clusters",

  "clusters.title": "Clusters",
  "clusters.create": "Create a cluster",
  "clusters.empty": "No cluster yet. One takes less than a minute.",
  "clusters.name": "Name",
  "clusters.state": "State",
  "clusters.version": "Version",
  "clusters.members": "Members",
  "clusters.where": "Where",
  "clusters.filter": "Filter by name, state or place",
  "clusters.count": "{shown} of {total}",
  "clusters.noMatch": "No cluster matches.",

  "cluster.connect": "Connect",
  "cluster.resize": "Change size",
  "cluster.delete": "Delete",
  "cluster.members": "Members",
  "cluster.member": "Member",
  "cluster.role": "Role",
  "cluster.seen": "Last heard of",
  "cluster.working": "Working on it: {what}",
  "cluster.history": "What was done to it",
  "cluster.logs": "Logs",
  "cluster.settings": "All settings",
  "cluster.size": "{count} members in {where}",
  "cluster.sizeOne": "1 member in {where}",
  "cluster.backedUp": "Backups on",
  "cluster.notBackedUp": "No backups",
  "cluster.noMembers": "No member answers yet; a cluster takes a moment to come up.",
  "cluster.resizeTitle": "Size and members of {name}",
  "cluster.resizeText": "Members change one after the other; the cluster stays reachable.",
  "cluster.deleteText": "Its members and its data are removed.",
  "cluster.deleteTextBackups": "Its members, its data and its backups are removed.",
  "cluster.keepBackups": "Keep its backups",
  "cluster.keepBackupsHint": "Until they expire, as their schedule says.",
  "cluster.snapshots": "Snapshots",
  "cluster.overview": "Overview",
  "cluster.metrics": "Metrics",
  "cluster.restore": "Restore",
  "cluster.queries": "Slow queries",
  "cluster.protected": "Protected against deletion",
  "cluster.deleteTitle": "Delete {name} and everything in it?",
  "cluster.deleteAsk": "Type the cluster's name to confirm",
  "cluster.created": "Created {when}",

  "operation.steps": "Steps",
  "operation.waits": "Waits for: {what}",
  "operation.failed": "Failed: {why}",
  "operation.done": "Took {time}",
  "operation.since": "Running for {time}",
  "operation.title": "Operation",
  "operation.asked": "Asked for {when}",
  "operation.cluster": "Go to {name}",
  "operation.now": "Now",
  "operation.took": "Time",
  "operations.state": "State",
  "operations.all": "All states",
  "operations.empty": "Nothing was done here yet. Creating, changing and restoring clusters shows up here, step by step.",

  "connect.title": "Connect to {name}",
  "connect.one": "Who connects",
  "connect.two": "From where",
  "connect.three": "The string for your program",
  "connect.as": "Who logs in",
  "connect.fill": "Put the password in place of <DB_PASSWORD>, and name the file of the clusters' authority (sslrootcert in psql's string): whoever runs this service gives it to you.",
  "connect.none": "The cluster has no address yet: it is still being made.",
  "connect.yourAddress": "Let in this browser ({address})",
  "connect.comment": "From the console",

  "create.title": "Create a cluster",
  "create.name": "Name",
  "create.region": "Place",
  "create.size": "Size",
  "create.nameHint": "Letters, digits and hyphens; it cannot be changed later.",
  "create.nowhere": "No host accepts clusters yet. Whoever runs this service adds hosts with reeved fleet.",
  "create.nodes": "Members",
  "create.nodesHint": "3 survive the loss of one host; 1 is for trying out.",
  "create.backups": "Backups",
  "create.backupsHint": "Any second of the last days can be had back.",
  "create.version": "PostgreSQL",
  "create.check": "Check first",
  "create.checked": "The service would accept this.",
  "create.send": "Create",

  "activity.title": "What changed, and who did it",
  "activity.empty": "Nothing has happened here yet.",
  "activity.when": "When",
  "activity.what": "What",
  "activity.who": "Who",
  "activity.subject": "About",
  "activity.filter": "Filter by word, name or person",
  "activity.always": "Any time",
  "activity.count": "{shown} shown, {loaded} of {total} read",
  "activity.noMatch": "Nothing matches among what was read.",
  "activity.older": "Read older ones",
  "activity.difference": "What is different",
  "activity.field": "Field",
  "activity.before": "Before",
  "activity.after": "After",
  "activity.from": "From",
  "activity.request": "Request",

  "now.title": "What is wrong now",
  "now.nothing": "Nothing is wrong that we know of.",
  "now.text": "Open alerts first, then what failed, then what is being done.",
  "now.alert": "Alert",
  "now.working": "Working",
  "now.failed": "Failed",

  "access.users": "Database users",
  "access.user": "User",
  "access.roles": "Roles",
  "access.noUsers": "Nobody can log in yet.",
  "access.addUser": "Add a user",
  "access.list": "From where",
  "access.block": "Address or block",
  "access.comment": "Comment",
  "access.noEntries": "No address is let in yet.",
  "access.addEntry": "Let in an address",

  "access.password": "Password",
  "access.passwordHint": "Kept nowhere: the service stores only what checks it.",
  "access.database": "Database",
  "access.databaseHint": "It is made with the user if it is not there yet. Leave it empty for all databases.",
  "access.may": "May",
  "access.readWrite": "read and change",
  "access.read": "read",
  "access.admin": "administer",
  "access.blockHint": "For example 203.0.113.7, or 203.0.113.0/24 for a network.",
  "access.remove": "Remove {name}?",
  "access.removeText": "Connections that are open end.",

  "people.people": "People",
  "people.nobody": "Nobody has a role in this project itself. People with a role in the organization can be here, too.",
  "people.mail": "E-mail address",
  "people.mailHint": "Who has no account yet gets an invitation.",
  "people.fromOrganization": "from the organization",
  "people.remove": "Remove {name} from this project?",
  "people.createKey": "Create a key",
  "people.keyFor": "What it is for",
  "people.once": "Public and private part of the new key. The private part is shown only now: copy it.",
  "people.noKeys": "No program has a key for this project yet.",
  "people.noTeams": "No team has a role in this project yet.",
  "people.team": "Team",
  "people.addTeam": "Add a team",

  "limits.what": "What",
  "limits.used": "Used",
  "limits.value": "At most",
  "limits.set": "Change",
  "limits.hint": "Usually {usual}; at most {most}.",

  "invoices.empty": "No month has been billed yet.",
  "invoices.month": "Month",
  "invoices.billed": "Billed",
  "invoices.lines": "Lines as CSV",

  "teams.create": "Create a team",
  "teams.members": "Members",
  "teams.membersHint": "User names, with a space between them.",
  "teams.remove": "Delete the team {name}?",
  "teams.empty": "No team yet. A team gives several people the same roles in a project.",

  "logs.title": "{name}: logs",
  "logs.which": "Log",
  "logs.filter": "Only lines with…",
  "logs.follow": "Follow",
  "logs.none": "No line in this time.",
  "logs.noMatch": "No line has that in it.",
  "logs.noMembers": "There is no server yet whose logs could be read.",
  "logs.600": "Last 10 minutes",
  "logs.3600": "Last hour",
  "logs.86400": "Last day",

  "people.name": "Name",
  "people.invite": "Add somebody",
  "people.seen": "Last here",
  "people.keys": "API keys",
  "people.key": "Public key",

  "device.title": "Let a program in",
  "device.text": "`reeve login` on your terminal shows a code. Type it here.",
  "device.code": "Code",
  "device.codeHint": "Eight letters, as your terminal shows them.",
  "device.look": "Go on",
  "device.looking": "Looking for the program that shows {code}. That takes a few seconds. If nothing comes, compare the code.",
  "device.question": "Did you start this?",
  "device.warning": "Only go on if you have just typed `reeve login` yourself, and your own terminal shows {code}. Nobody from here ever sends you a code or a link to this page. Whoever does wants to work in your name.",
  "device.host": "It calls itself",
  "device.address": "It asks from",
  "device.asked": "It asked",
  "device.gets": "It gets your roles",
  "device.approve": "Yes, let it in",
  "device.deny": "No, I did not",
  "device.approved": "It is let in. Go back to your terminal. You end its session under your account.",
  "device.denied": "It was refused. If somebody sent you the code, tell whoever runs this service.",

  "account.device": "{host} (program)",
  "account.sessions": "Where you are signed in",
  "account.browser": "Browser",
  "account.address": "Address",
  "account.since": "Since",
  "account.end": "End it",
  "account.passkeys": "Your passkeys",
  "account.used": "Last used",
  "account.remove": "Remove",
  "account.addPasskey": "Add a passkey",
  "account.passwordSince": "Set",
  "account.noPassword": "You have none. You need one only where passkeys do not work.",
  "account.newPassword": "New password",
  "account.setPassword": "Set the password",
  "account.removePassword": "Remove the password",

  "metrics.title": "{name}: metrics",
  "metrics.period": "Period",
  "metrics.PT1H": "Last hour",
  "metrics.PT24H": "Last day",
  "metrics.P7D": "Last week",
  "metrics.none": "Nothing was measured yet.",
  "metrics.transactions": "Transactions a second",
  "metrics.connections": "Connections",
  "metrics.processor": "Processor, percent",
  "metrics.disk": "Disk, GB",

  "restore.title": "{name}: restore",
  "restore.span": "Every second from {from} to {to} can be had back.",
  "restore.proven": "A restore was last tried, and worked, {when}.",
  "restore.moment": "Moment (UTC)",
  "restore.hint": "The bar and the clock are the same: move either.",
  "restore.into": "Into",
  "restore.new": "a new cluster",
  "restore.newHint": "The cluster that is there now stays as it is.",
  "restore.over": "{name}, over what is in it",
  "restore.overHint": "Everything that is in it now is replaced, and it accepts no connections meanwhile.",
  "restore.target": "Name of the new cluster",
  "restore.confirm": "Type {name} to confirm that its data is replaced",
  "restore.busyNew": "Making {name}; then it is restored into. Keep this page open.",
  "restore.busyOver": "Asking for the restore into {name}.",
  "restore.send": "Restore",
  "restore.none": "Nothing can be had back: backups are off.",
  "restore.soon": "Nothing can be had back yet: the first backup is still being made. It shows here as soon as it is there.",
  "restore.turnOn": "Turn on backups",

  "queries.title": "{name}: slow queries",
  "queries.indexes": "Indexes that would help",
  "queries.noIndexes": "No index would help what has been asked so far.",
  "queries.table": "Table",
  "queries.columns": "Columns",
  "queries.saves": "Saves",
  "queries.build": "Build this index",
  "queries.buildTitle": "Build an index on {table}?",
  "queries.buildText": "It is built without blocking writes. What changed shows when it is there.",
  "queries.noShapes": "No query was seen in the last day. What was asked shows within a minute.",
  "queries.shapes": "What takes most time",
  "queries.shape": "Query",
  "queries.count": "Times",
  "queries.mean": "Mean",

  "explorer.title": "All operations",
  "explorer.filter": "Filter by words",
  "explorer.send": "Send",
  "explorer.answer": "Answer",
  "explorer.who": "Who may: {who}",
  "explorer.waits": "Not there yet: waits for {what}.",
  "explorer.advanced": "More fields",
  "explorer.add": "Add",
  "explorer.remove": "Remove",
  "explorer.danger": "This cannot be undone. Type {word} to confirm.",
  "explorer.unset": "(not set)",
  "explorer.example": "Fill in an example",
  "explorer.clear": "Empty the form",
  "explorer.cluster": "Cluster",
  "explorer.none": "Send an empty list",
  "explorer.notNone": "An empty list is sent; leave it out instead",
  "explorer.body": "As JSON",
  "explorer.wrong": "This is not JSON yet; it is not sent.",
  "explorer.done": "Done: {status}",
  "explorer.save": "Save the file ({size} bytes)",

  "command.title": "Show me the command",
  "command.copy": "Copy",
  "command.copied": "Copied",

  "dialog.close": "Close",
  "dialog.cancel": "Cancel",
  "dialog.confirm": "Delete",
} as const;

/* Those of operators come with their console: nobody else reads them. */
export type Message = keyof typeof english | keyof typeof import("./operator/messages").ofOperators;

let texts: Record<string, string> = english;

export function alsoSay(more: Record<string, string>): void {
  texts = { ...texts, ...more };
}

export function say(key: Message, values: Record<string, string | number> = {}): string {
  return texts[key]!.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

/* ---- Figures and times, as the reader's language writes them ---- */
const ago = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [["second", 60], ["minute", 60], ["hour", 24], ["day", 30], ["month", 12], ["year", Infinity]];

export function whenAgo(date: string | undefined): string {
  if (!date) return "–";
  let value = (Date.parse(date) - Date.now()) / 1000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(value) < size) return ago.format(Math.round(value), unit);
    value /= size;
  }
  return date;
}

export function span(milliseconds: number): string {
  if (milliseconds < 1000) return `${Number(milliseconds.toPrecision(2))} ms`;
  if (milliseconds < 90_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (milliseconds < 2 * 3600_000) return `${Math.round(milliseconds / 60_000)} min`;
  return milliseconds < 48 * 3600_000 ? `${Math.round(milliseconds / 3600_000)} h` : `${Math.round(milliseconds / 86400_000)} d`;
}

/* CLUSTER_CREATED, cluster.create → Cluster created, Cluster create */
export function words(name: string): string {
  const text = name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[._-]+/g, " ").trim().toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function day(date: string, how: Intl.DateTimeFormatOptions = { dateStyle: "medium", timeStyle: "medium" }): string {
  return new Intl.DateTimeFormat(undefined, { timeZone: "UTC", ...how }).format(new Date(date));
}

/* Of seconds since 1970. */
export function moment(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace("T", " ").replace(".000Z", " UTC");
}

export function money(cents: number): string {
  return (cents / 100).toFixed(2);
}

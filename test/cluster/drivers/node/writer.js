// SPDX-License-Identifier: Apache-2.0
// Writes numbers with node-postgres, as an application would. What all writers here do is in drivers_test.py.
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

import { connect } from './connect.js' // from docs/how-to/connect-an-application.md

const [name, path, sleep] = process.argv.slice(2)
const strings = process.env.WRITER_DSN.split('\n')
const now = () => (Date.now() / 1000).toFixed(3)
let client = null
for (let number = 1; ; number++) {
  const began = now()
  try {
    client ??= await connect(strings)
    await client.query('INSERT INTO written (writer, number) SELECT $1, $2 FROM pg_sleep($3)', [name, number, Number(sleep)])
    appendFileSync(path, `ack ${number} ${began} ${now()} -\n`)
    await pause(50)
  } catch (error) {
    appendFileSync(path, `err ${number} ${began} ${now()} ${String(error.message).replace(/\s+/g, ' ')}\n`)
    client?.end().catch(() => {})
    client = null
    await pause(200)
  }
}

// SPDX-License-Identifier: Apache-2.0

// Writes numbers with pgx, as an application would. What all writers here do is in drivers_test.py.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v4"
)

func now() float64 {
	return float64(time.Now().UnixMilli()) / 1000
}

func main() {
	name, path := os.Args[1], os.Args[2]
	sleep, _ := strconv.ParseFloat(os.Args[3], 64)
	log, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0644)
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	var connection *pgx.Conn
	for number := int64(1); ; number++ {
		began := now()
		err = nil
		if connection == nil {
			connection, err = connect(ctx, os.Getenv("WRITER_DSN")) // from docs/how-to/connect-an-application.md
		}
		if err == nil {
			_, err = connection.Exec(ctx, "INSERT INTO written (writer, number) SELECT $1, $2::bigint FROM pg_sleep($3)", name, number, sleep)
		}
		if err == nil {
			fmt.Fprintf(log, "ack %d %.3f %.3f -\n", number, began, now())
			time.Sleep(50 * time.Millisecond)
			continue
		}
		fmt.Fprintf(log, "err %d %.3f %.3f %s\n", number, began, now(), strings.Join(strings.Fields(err.Error()), " "))
		if connection != nil {
			connection.Close(ctx)
			connection = nil
		}
		time.Sleep(200 * time.Millisecond)
	}
}
